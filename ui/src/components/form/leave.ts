import { createStore } from "zustand";

interface Leave {
  /** Answers the open question; undefined while nothing is asked. */
  answer: ((leave: boolean) => void) | undefined;
}

export const leave = createStore<Leave>(() => ({ answer: undefined }));

/** Asks whether what was typed may be lost. Asking again takes back the question that is open. */
export function askToLeave(): Promise<boolean> {
  leave.getState().answer?.(false);
  return new Promise((resolve) => {
    leave.setState({
      answer: (yes) => {
        leave.setState({ answer: undefined });
        resolve(yes);
      },
    });
  });
}
