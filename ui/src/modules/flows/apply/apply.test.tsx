import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { changeLanguage } from "@/text/i18n";
import { renderApp } from "@/testing/render-app";
import { fakeState } from "../testing/fake-panel";
import { fakeApply, fakeCheck, fakeFlow, fakePlan } from "../testing/samples";
import { serveFake } from "../testing/serve-fake";
import type { Apply } from "../shared/api";
import { linesOf } from "./apply-log";
import ApplyPage from "./apply-page";
import { canStop, doingOf } from "./apply-status";

async function open(apply: Apply, change: Parameters<typeof fakeState>[0] = {}) {
  const flows = [fakeFlow({ state: apply.state === "applying" ? "applying" : "apply_failed" })];
  const panel = serveFake(fakeState({ apply, flows, ...change }));
  const page = await renderApp(<ApplyPage />, {
    path: "/flows/f-europe/applies/a-1",
    route: "/flows/$id/applies/$applyId",
    queries: panel.queries,
  });
  await screen.findByRole("table", { name: "Steps by node" });
  return { ...page, ...panel };
}

/** The switch of one node has failed, and the core said why. */
function failedApply(): Apply {
  const apply = fakeApply({ state: "apply_failed", phase: "apply_failed" });
  const [exit, transit, entry] = apply.steps as [Apply["steps"][0], Apply["steps"][0], Apply["steps"][0]];
  const error = { code: "start_failed", message: "listen 443: in use", output: "core: bind failed" };
  const stages = transit.stages.map((stage) =>
    stage.stage === "switch"
      ? { ...stage, state: "failed" as const, text: { code: "start_failed", text: error.message } }
      : stage,
  );
  return {
    ...apply,
    steps: [exit, { ...transit, state: "failed", error, stages }, entry],
    error: { ...error, node_id: "n-hel", node_name: "hel-01", message: `hel-01: ${error.message}` },
  };
}

it("says which rule of which policy has come to forbid an apply, in both languages", async () => {
  const message = 'policy "Strict", rule "securities": the security none is not allowed';
  const error = { code: "policy_forbids", message, policy: "Strict", rule: "securities" };
  await open(fakeApply({ state: "apply_failed", phase: "apply_failed", error }));
  expect(await screen.findByText("The policy “Strict” has come to forbid it: Allowed security")).toBeInTheDocument();
  await changeLanguage("ru");
  expect(await screen.findByText(/^Теперь этого не разрешает политика «Strict»: /)).toBeInTheDocument();
  await changeLanguage("en");
});

it.each([
  ["2026-03-01T10:00:00.840Z", "0.8 s"],
  ["2026-03-01T10:00:41Z", "0:41"],
])("tells how long it took, below ten seconds to a tenth", async (finished_at, told) => {
  await open(fakeApply({ state: "applied", phase: "applied", started_at: "2026-03-01T10:00:00Z", finished_at }));
  expect((await screen.findByText("in all")).previousSibling).toHaveTextContent(told);
});

describe("an apply that runs", () => {
  it("is stopped only after a question that names what goes back", async () => {
    const { written } = await open(fakeApply({ phase: "probing" }));
    await userEvent.click(screen.getAllByRole("button", { name: "Stop and revert" })[0]!);
    const dialog = within(await screen.findByRole("dialog"));
    const effects = dialog.getByRole("region", { name: "What it hits now" });
    expect(effects).toHaveTextContent("Europe main keeps serving v17");
    expect(effects).toHaveTextContent("hel-01 has switched and goes back");
    expect(effects).toHaveTextContent("msk-01 has not switched");
    expect(written()).toEqual([]);
    await userEvent.click(dialog.getByRole("button", { name: "Stop and revert" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
    expect(written().map(({ path }) => path)).toEqual(["/api/v1/connection-units/f-europe/applies/a-1/stop"]);
    expect((await screen.findAllByText("Nodes go back")).length).toBeGreaterThan(0);
  });

  it("cannot be stopped once it is decided", () => {
    expect(canStop(fakeApply({ phase: "switching" }))).toBe(true);
    expect(canStop(fakeApply({ phase: "committing" }))).toBe(false);
    expect(canStop(fakeApply({ phase: "switching", stopped_by: "anna" }))).toBe(false);
  });

  it("says of a node what it waits for, not the stage that is over", () => {
    const [exit, transit, entry] = fakeApply().steps;
    expect(doingOf(exit!, true).kind).toBe("commit");
    expect(doingOf(transit!, true)).toMatchObject({ kind: "running", stage: { stage: "probe" } });
    expect(doingOf(entry!, true).kind).toBe("waits");
    expect(doingOf(entry!, false).kind).toBe("state");
  });
});

describe("an apply that failed", () => {
  it("has a red bar, the node as a link, and the core's words under the stage that failed", async () => {
    const { container } = await open(failedApply());
    expect(container.querySelector('[role="progressbar"]')).toHaveAttribute("data-tone", "crit");
    const why = within(screen.getByRole("alert"));
    expect(why.getByRole("link", { name: "hel-01" })).toHaveAttribute("href", "/nodes/n-hel");
    expect(screen.getByRole("alert")).toHaveTextContent(
      "The core could not serve the configuration: listen 443: in use",
    );
    const log = screen.getByRole("log", { name: "Log" });
    expect(log.querySelector("[data-failed] + pre")).toHaveTextContent("core: bind failed");
    expect(linesOf(failedApply(), "n-fra").map(({ step }) => step.node_name)).not.toContain("hel-01");
  });

  it("names the nodes of the flow that are not healthy, which no step of the apply was on", async () => {
    const ailing = ["n-msk", "n-ams"];
    await open(failedApply(), { flows: [fakeFlow({ state: "apply_failed", node_ids: ailing })] });
    const why = within(screen.getByRole("alert"));
    const link = await why.findByRole("link", { name: "ams-01" });
    expect(link.closest("li")).toHaveTextContent("ams-01Degraded");
    expect(why.queryByRole("link", { name: "msk-01" })).not.toBeInTheDocument();
  });

  it("is compiled and applied again in one step when nothing is to be checked", async () => {
    const { written, address } = await open(failedApply(), {
      plan: fakePlan({ readiness: [fakeCheck()] }),
    });
    await userEvent.click(screen.getAllByRole("button", { name: "Compile and apply again" })[0]!);
    await waitFor(() => expect(written()).toHaveLength(2));
    expect(written()[1]).toMatchObject({
      path: "/api/v1/connection-units/f-europe/apply?wait=0",
      body: { force_apply: false },
    });
    await waitFor(() => expect(address()).toBe("/flows/f-europe/applies/a-1"));
  });

  it("leads to the plan where checks are open", async () => {
    const { written, address } = await open(failedApply());
    await userEvent.click(screen.getAllByRole("button", { name: "Compile and apply again" })[0]!);
    await waitFor(() => expect(address()).toBe("/flows/f-europe/plans/p-17"));
    expect(written()).toHaveLength(1);
  });
});
