import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { renderApp } from "@/testing/render-app";
import ApplyPage from "../apply/apply-page";
import type { Apply, Canary } from "../shared/api";
import { fakeState } from "../testing/fake-panel";
import { fakeApply, fakeFlow } from "../testing/samples";
import { serveFake } from "../testing/serve-fake";

function watched(change: Partial<Canary> = {}): Apply {
  const apply = fakeApply({ phase: "canary" });
  const [first, ...rest] = apply.steps as [Apply["steps"][0], ...Apply["steps"]];
  const canary: Canary = {
    nodes: [{ node_id: first.node_id, node_name: first.node_name, role: "exit" }],
    rest: rest.length,
    watch_s: 600,
    probes: { interval_s: 30, failures: 2 },
    state: "watching",
    since: new Date().toISOString(),
    until: new Date(Date.now() + 600_000).toISOString(),
    ended_at: null,
    rounds: 3,
    held: null,
    looks: [
      {
        node_id: first.node_id,
        node_name: first.node_name,
        block: "in",
        good: 2,
        bad: 1,
        in_row: 1,
        ok: false,
        seen_at: new Date().toISOString(),
        finding: { code: "unreachable", text: "no answer came back" },
      },
    ],
    unwell: [],
    ...change,
  };
  return { ...apply, canary, steps: [{ ...first, canary: true, state: "done" }, ...rest] };
}

async function open(apply: Apply, license = fakeState().license) {
  const panel = serveFake(fakeState({ apply, license, flows: [fakeFlow({ state: "applying" })] }));
  await renderApp(<ApplyPage />, {
    path: "/flows/f-europe/applies/a-1",
    route: "/flows/$id/applies/$applyId",
    queries: panel.queries,
  });
  await screen.findByRole("table", { name: "Steps by node" });
  return panel;
}

describe("a canary that is watched", () => {
  it("says how long it is watched yet and what probes found", async () => {
    await open(watched());
    expect(screen.getByText(/^(9:5\d|10:00) left$/)).toBeInTheDocument();
    expect(screen.getByText("2 got through, 1 did not")).toBeInTheDocument();
    expect(screen.getByText(/no answer came back/)).toBeInTheDocument();
  });

  it("says what other parts of the panel have against it, and of which node", async () => {
    const apply = watched();
    const [first] = apply.canary!.nodes;
    const down = { code: "health_node_down", text: "the health checks say that the node is down" };
    await open(watched({ unwell: [{ source: "health", node_id: first!.node_id, text: down }] }));
    const said = screen.getByText(/health checks see this node down/i).closest("p")!;
    expect(within(said).getByRole("link", { name: first!.node_name })).toBeInTheDocument();
  });

  it("has the nodes that go first on top of the table", async () => {
    const apply = watched();
    await open({ ...apply, steps: apply.steps.toReversed() });
    const [, first] = within(screen.getByRole("table", { name: "Steps by node" })).getAllByRole("row");
    expect(first).toHaveTextContent(apply.canary!.nodes[0]!.node_name);
  });

  it("is ended after a question that names who goes back", async () => {
    const apply = watched();
    await open(apply);
    await userEvent.click(screen.getAllByRole("button", { name: "End canary" })[0]!);
    const dialog = await screen.findByRole("dialog", { name: "End the canary?" });
    expect(within(dialog).getByText(apply.canary!.nodes[0]!.node_name)).toBeInTheDocument();
    expect(within(dialog).getByText("returns to the installed version")).toBeInTheDocument();
    await userEvent.click(within(dialog).getByRole("button", { name: "Cancel" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
  });

  it("names who follows before it is promoted", async () => {
    const apply = watched();
    await open(apply);
    await userEvent.click(screen.getAllByRole("button", { name: "Promote now" })[0]!);
    const dialog = await screen.findByRole("dialog", { name: "Let the other nodes follow now?" });
    expect(within(dialog).getAllByText("gets the new version")).toHaveLength(apply.canary!.rest);
  });

  it("says why the rest does not follow, and is ended also in read-only mode", async () => {
    const held = { code: "canary_read_only", text: "read-only" };
    await open(watched({ held }), { read_only: true, state: "degraded", reason: "removed" });
    expect(screen.getByText(/do not follow while the panel is read-only/)).toBeInTheDocument();
    await waitFor(() =>
      expect(screen.getAllByRole("button", { name: "Promote now" })[0]).toHaveAttribute("aria-disabled", "true"),
    );
    expect(screen.getAllByRole("button", { name: "End canary" })[0]).not.toHaveAttribute("aria-disabled", "true");
    expect(screen.queryByRole("button", { name: "Stop and revert" })).not.toBeInTheDocument();
  });

  it("offers nothing when it is over", async () => {
    await open({ ...watched({ state: "passed" }), phase: "preparing" });
    expect(screen.getByText("All went well; the other nodes follow.")).toBeInTheDocument();
    expect(screen.queryByRole("button", { name: "Promote now" })).not.toBeInTheDocument();
  });
});
