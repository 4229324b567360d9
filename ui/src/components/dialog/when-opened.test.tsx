import { Modal } from "@mantine/core";
import { screen, waitFor } from "@testing-library/react";
import user from "@testing-library/user-event";
import { useState } from "react";
import { expect, it, vi } from "vitest";
import { renderApp } from "@/testing/render-app";
import { WhenOpened } from "./when-opened";

const drawn = vi.fn();

function Page() {
  const [opened, setOpened] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpened(true)}>
        Open
      </button>
      <WhenOpened opened={opened}>
        {(shown) => {
          drawn(shown);
          return (
            <Modal opened={shown} onClose={() => setOpened(false)} title="Tags">
              <input aria-label="Name" />
            </Modal>
          );
        }}
      </WhenOpened>
    </>
  );
}

it("draws the dialog when it is first opened: closed, then open", async () => {
  drawn.mockClear();
  await renderApp(<Page />);
  await screen.findByRole("button", { name: "Open" });
  expect(drawn).not.toHaveBeenCalled();
  await user.click(screen.getByRole("button", { name: "Open" }));
  expect(await screen.findByRole("dialog", { name: "Tags" })).toBeVisible();
  expect(drawn.mock.calls.map(([shown]) => shown as boolean)).toEqual([false, true]);
});

it("gives the focus back to where it was, each time", async () => {
  await renderApp(<Page />);
  for (const time of [1, 2]) {
    await user.click(await screen.findByRole("button", { name: "Open" }));
    await waitFor(() => expect(screen.getByRole("dialog").contains(document.activeElement), `time ${time}`).toBe(true));
    await user.keyboard("{Escape}");
    await waitFor(() => expect(screen.getByRole("button", { name: "Open" }), `time ${time}`).toHaveFocus());
  }
});
