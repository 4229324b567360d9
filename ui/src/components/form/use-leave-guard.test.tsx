import { Link } from "@tanstack/react-router";
import { screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { renderApp } from "@/testing/render-app";
import { LeaveDialog } from "./leave-dialog";
import { useLeaveGuard } from "./use-leave-guard";

function Page({ dirty }: { dirty: boolean }) {
  useLeaveGuard(dirty);
  return (
    <>
      <output>{window.location.pathname}</output>
      <Link to="/elsewhere" activeProps={{ "data-here": true }}>
        elsewhere
      </Link>
      <LeaveDialog />
    </>
  );
}

const isThere = () => screen.getByText("elsewhere").hasAttribute("data-here");

it("asks in the page's own dialog before typed text is lost, and stays when told so", async () => {
  const native = vi.spyOn(window, "confirm");
  await renderApp(<Page dirty />);
  await userEvent.click(await screen.findByText("elsewhere"));
  await userEvent.click(await screen.findByRole("button", { name: "Stay" }));
  expect(isThere()).toBe(false);
  await userEvent.click(screen.getByText("elsewhere"));
  await userEvent.click(await screen.findByRole("button", { name: "Leave without saving" }));
  await expect.poll(isThere).toBe(true);
  expect(native).not.toHaveBeenCalled();
});

it("asks nothing where nothing was typed", async () => {
  await renderApp(<Page dirty={false} />);
  await userEvent.click(await screen.findByText("elsewhere"));
  await expect.poll(isThere).toBe(true);
});
