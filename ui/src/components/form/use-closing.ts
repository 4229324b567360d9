import { useStore } from "zustand";
import { askToLeave, leave } from "./leave";
import { useLeaveGuard } from "./use-leave-guard";

/** Closes a dialog; where something was typed into it, only after the question that every page asks. */
export function useClosing(dirty: boolean, onClose: () => void): () => void {
  const asking = useStore(leave, ({ answer }) => answer !== undefined);
  useLeaveGuard(dirty);
  return () => {
    if (!dirty) return onClose();
    // Escape in the question reaches the dialog under it as well.
    if (!asking) void askToLeave().then((yes) => yes && onClose());
  };
}
