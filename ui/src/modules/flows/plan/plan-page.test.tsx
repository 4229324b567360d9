import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, describe, expect, it } from "vitest";
import { changeLanguage } from "@/text/i18n";
import { renderApp } from "@/testing/render-app";
import { fakeState } from "../testing/fake-panel";
import { fakeCheck, fakePlan } from "../testing/samples";
import { serveFake } from "../testing/serve-fake";
import type { Plan } from "../shared/api";
import PlanPage from "./plan-page";

async function open(change: Partial<Plan>) {
  const panel = serveFake(fakeState({ plan: fakePlan(change) }));
  const page = await renderApp(<PlanPage />, {
    path: "/flows/f-europe/plans/p-17",
    route: "/flows/$id/plans/$planId",
    queries: panel.queries,
  });
  await screen.findByRole("heading", { name: "Plan r17" });
  return { ...page, ...panel };
}

const anyway = () => screen.queryAllByRole("button", { name: /^Apply anyway/ });
const unconfirmed = fakeCheck({
  key: "firewall:n-fra:0.0.0.0:21834/tcp",
  group: "firewall",
  node_id: "n-fra",
  node_name: "fra-02",
  status: "unconfirmed",
  finding: { code: "agent_silent", text: "the agent did not answer in time" },
});

describe("the page of a plan", () => {
  afterEach(() => changeLanguage("en"));

  it("has no force where an agent is offline, and names the node in its place", async () => {
    await open({
      readiness: [unconfirmed],
      obstacles: [
        {
          code: "agent_offline",
          node_id: "n-fra",
          node_name: "fra-02",
          finding: { code: "agent_offline", params: { node: "fra-02" }, text: "the agent of fra-02 does not answer" },
        },
      ],
    });
    const reasons = within(screen.getByRole("list", { name: "What stands in the way" }));
    expect(reasons.getByText(/The agent of fra-02 is offline/)).toBeInTheDocument();
    expect(reasons.getByRole("link", { name: "fra-02" })).toHaveAttribute("href", "/nodes/n-fra");
    expect(anyway()).toEqual([]);
  });

  it("offers no force before the nodes were asked", async () => {
    const finding = { code: "not_observed", text: "not observed yet" };
    await open({ checking: true, readiness: [fakeCheck({ status: "unconfirmed", observed_at: null, finding })] });
    const acts = screen.getAllByRole("button", { name: /^Checking 1…/ });
    expect(acts[0]).toHaveAttribute("aria-disabled", "true");
    expect(anyway()).toEqual([]);
    expect(screen.getByRole("list", { name: "Checks" })).not.toHaveTextContent("Unconfirmed");
  });

  it("tells failed checks from unconfirmed ones, and goes to the live apply at once", async () => {
    const failed = fakeCheck({
      status: "failed",
      finding: { code: "peer_not_reached", params: { node: "hel-01" }, text: "hel-01 could not reach it" },
    });
    const { written, address } = await open({ readiness: [failed, unconfirmed] });
    await userEvent.click(anyway()[0]!);
    const dialog = within(await screen.findByRole("dialog"));
    expect(dialog.getByText("Apply past the checks: 1 failed, 1 unconfirmed")).toBeInTheDocument();
    expect(dialog.getByRole("region", { name: "Failed" })).toHaveTextContent("hel-01 could not reach it");
    expect(dialog.getByRole("region", { name: "Could not be confirmed" })).toHaveTextContent("fra-02");
    expect(dialog.getByRole("region", { name: "What it hits now" })).toHaveTextContent("v17 serves until");
    await userEvent.type(dialog.getByRole("textbox"), "Europe main{Enter}");
    await waitFor(() => expect(address()).toBe("/flows/f-europe/applies/a-1"));
    expect(written()).toEqual([
      {
        method: "POST",
        path: "/api/v1/connection-units/f-europe/apply?wait=0",
        body: { id: "p-17", revision: 17, force_apply: true },
      },
    ]);
  });

  it("names blocks and nodes, not keys and ids, and says evidence in Russian", async () => {
    const node = "019a0000-0000-7000-8000-000000000001";
    await open({ errors: [{ code: "node_unknown", path: "nodes[4].node_id", message: "no such node", node }] });
    expect(await screen.findByText("lon-01, Node")).toBeInTheDocument();
    expect(screen.getByRole("list", { name: "Findings" })).not.toHaveTextContent("nodes[4]");
    expect(screen.getByText(/Baltic transit → ams-01/)).toBeInTheDocument();
    await changeLanguage("ru");
    expect((await screen.findAllByText(/Агент не ответил вовремя/)).length).toBeGreaterThan(0);
  });
});
