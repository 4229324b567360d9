import { screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { renderApp } from "@/testing/render-app";
import { Confirm } from "./confirm";

it("opens a dangerous act only after the exact name was typed", async () => {
  const confirmed = vi.fn();
  await renderApp(
    <Confirm
      opened
      onClose={() => undefined}
      onConfirm={confirmed}
      title="Delete fra-02"
      verb="Delete node"
      typed="fra-02"
    />,
  );
  const act = await screen.findByRole("button", { name: /^Delete node/ });
  expect(act).toHaveAttribute("aria-disabled", "true");
  await userEvent.type(screen.getByRole("textbox"), "fra-0{Enter}");
  expect(confirmed).not.toHaveBeenCalled();
  await userEvent.type(screen.getByRole("textbox"), "2{Enter}");
  expect(confirmed).toHaveBeenCalledOnce();
});
