import { screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { asksBeforeItCloses, renderDialog } from "@/testing/typed-text";
import type { Account } from "./api";
import { RenameDialog } from "./rename-dialog";
import { ResetPasswordDialog } from "./reset-password-dialog";

const account = { id: "a1", username: "anna", revision: 1 } as Account;

it("asks before a new name is lost", async () => {
  const closed = vi.fn();
  await renderDialog(<RenameDialog account={account} onClose={closed} />);
  await userEvent.type(await screen.findByLabelText("Username"), "-lee");
  await asksBeforeItCloses(closed);
});

it("asks before a new password is lost, and closes at once where none was typed", async () => {
  const closed = vi.fn();
  await renderDialog(<ResetPasswordDialog account={account} onClose={closed} />);
  await userEvent.click(await screen.findByRole("button", { name: "Cancel" }));
  expect(closed).toHaveBeenCalledOnce();
  closed.mockClear();
  await userEvent.type(screen.getByLabelText("New password"), "a long sentence");
  await asksBeforeItCloses(closed);
});
