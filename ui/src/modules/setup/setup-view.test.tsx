import { screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { lazy } from "react";
import { expect, it, vi } from "vitest";
import type { SetupStep } from "@/module";
import { renderApp } from "@/testing/render-app";
import { SetupView } from "./setup-view";

const step = (key: string, needsLicense = false): SetupStep => ({
  key,
  order: 1,
  label: { en: `Step ${key}`, ru: key },
  needsLicense,
  Step: lazy(() => Promise.resolve({ default: () => <p>inside</p> })),
});

it("gives a skipped step no tick, and a locked step a way back", async () => {
  const [back, done] = [vi.fn(), vi.fn()];
  await renderApp(
    <SetupView
      steps={[step("admin"), step("license"), step("node", true)]}
      open="node"
      results={{ admin: { text: "anna" }, license: { text: "read-only", skipped: true } }}
      administrator
      readOnly
      onOpen={back}
      onDone={(key) => (text, skipped) => done(key, text, skipped)}
    />,
  );
  const steps = await screen.findAllByRole("listitem");
  expect(steps[0]).toHaveTextContent("Step adminanna");
  expect(steps[0]!.querySelector("[data-state=done]")).toBeInTheDocument();
  expect(within(steps[1]!).getByText("2")).toHaveAttribute("data-state", "later");
  await userEvent.click(screen.getByRole("button", { name: "Back" }));
  expect(back).toHaveBeenCalledWith("license");
  await userEvent.click(screen.getByRole("button", { name: "Skip this step" }));
  expect(done).toHaveBeenCalledWith("node", "skipped", true);
});
