import { Modal } from "@mantine/core";
import { screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { useState } from "react";
import { expect, it, vi } from "vitest";
import { renderApp } from "@/testing/render-app";
import { LeaveDialog } from "./leave-dialog";
import { useClosing } from "./use-closing";

function Dialog({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState("");
  const close = useClosing(text !== "", onClose);
  return (
    <>
      <Modal opened onClose={close} title="Add">
        <input aria-label="Name" value={text} onChange={(event) => setText(event.currentTarget.value)} />
        <button onClick={close}>Cancel</button>
      </Modal>
      <LeaveDialog />
    </>
  );
}

it("closes at once where nothing was typed", async () => {
  const closed = vi.fn();
  await renderApp(<Dialog onClose={closed} />);
  await userEvent.click(await screen.findByRole("button", { name: "Cancel" }));
  expect(closed).toHaveBeenCalledOnce();
});

it("asks once before typed text is lost, by Cancel and by Escape alike", async () => {
  const closed = vi.fn();
  await renderApp(<Dialog onClose={closed} />);
  await userEvent.type(await screen.findByLabelText("Name"), "anna");
  await userEvent.keyboard("{Escape}");
  await screen.findByRole("button", { name: "Stay" });
  await userEvent.keyboard("{Escape}");
  await expect.poll(() => screen.queryByRole("button", { name: "Stay" })).toBeNull();
  expect(screen.getByLabelText("Name")).toHaveValue("anna");
  expect(closed).not.toHaveBeenCalled();
  await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
  await userEvent.click(await screen.findByRole("button", { name: "Leave without saving" }));
  await expect.poll(() => closed.mock.calls.length).toBe(1);
});
