import { Menu } from "@mantine/core";
import { screen, waitFor } from "@testing-library/react";
import user from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { renderApp } from "@/testing/render-app";
import { RowMenu } from "./row-menu";

const open = vi.fn();

async function draw() {
  await renderApp(
    <RowMenu name="fra-01">
      <Menu.Item onClick={open}>Open</Menu.Item>
    </RowMenu>,
  );
  return screen.findByRole("button", { name: "Actions for fra-01" });
}

const dots = () => screen.getByRole("button", { name: "Actions for fra-01" });

it("opens by a click and by the keyboard, and does what was chosen", async () => {
  const button = await draw();
  expect(button).toHaveAttribute("aria-haspopup", "menu");
  expect(button).toHaveAttribute("aria-expanded", "false");
  await user.click(button);
  await user.click(await screen.findByRole("menuitem", { name: "Open" }));
  expect(open).toHaveBeenCalledOnce();
  await waitFor(() => expect(dots()).toHaveAttribute("aria-expanded", "false"));
  dots().focus();
  await user.keyboard("{Enter}");
  expect(await screen.findByRole("menuitem", { name: "Open" })).toBeInTheDocument();
});

it("gives the focus back to its dots, also the first time", async () => {
  await user.click(await draw());
  await screen.findByRole("menuitem", { name: "Open" });
  expect(dots()).toHaveAttribute("aria-expanded", "true");
  await user.keyboard("{Escape}");
  await waitFor(() => expect(dots()).toHaveFocus());
});
