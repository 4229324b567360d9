import { screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import type { ReactElement } from "react";
import { expect, type Mock } from "vitest";
import { LeaveDialog } from "@/components/form/leave-dialog";
import { renderApp } from "./render-app";

/** Draws a dialog beside the question that is asked before typed text is lost. */
export function renderDialog(dialog: ReactElement, options?: Parameters<typeof renderApp>[1]) {
  return renderApp(
    <>
      {dialog}
      <LeaveDialog />
    </>,
    options,
  );
}

/** Closes a dialog with typed text by Escape and stays; then by its Cancel and leaves. */
export async function asksBeforeItCloses(closed: Mock): Promise<void> {
  await userEvent.keyboard("{Escape}");
  await userEvent.click(await screen.findByRole("button", { name: "Stay" }));
  await waitFor(() => expect(screen.queryByRole("button", { name: "Stay" })).toBeNull());
  expect(closed).not.toHaveBeenCalled();
  await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
  await userEvent.click(await screen.findByRole("button", { name: "Leave without saving" }));
  await waitFor(() => expect(closed).toHaveBeenCalledOnce());
}
