import { screen, waitFor } from "@testing-library/react";
import user from "@testing-library/user-event";
import { expect, it } from "vitest";
import { renderApp } from "@/testing/render-app";
import { ButtonPopover } from "./button-popover";

async function draw() {
  await renderApp(
    <ButtonPopover
      button={(target) => (
        <button type="button" {...target}>
          Open
        </button>
      )}
    >
      <input aria-label="Country" />
    </ButtonPopover>,
  );
  return screen.findByRole("button", { name: "Open" });
}

const button = () => screen.getByRole("button", { name: "Open" });

it("draws nothing of the panel before it is opened, and says that it opens one", async () => {
  const closed = await draw();
  expect(closed).toHaveAttribute("aria-haspopup", "dialog");
  expect(closed).toHaveAttribute("aria-expanded", "false");
  expect(screen.queryByLabelText("Country")).toBeNull();
});

it("opens by one click and closes by the next", async () => {
  await user.click(await draw());
  expect(await screen.findByRole("dialog", { name: "Open" })).toContainElement(screen.getByLabelText("Country"));
  expect(button()).toHaveAttribute("aria-expanded", "true");
  await user.click(button());
  await waitFor(() => expect(button()).toHaveAttribute("aria-expanded", "false"));
});

it("gives the focus back to its button, also the first time", async () => {
  (await draw()).focus();
  await user.keyboard("{Enter}");
  (await screen.findByLabelText("Country")).focus();
  await user.keyboard("{Escape}");
  await waitFor(() => expect(button()).toHaveFocus());
});
