import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { renderApp } from "@/testing/render-app";
import { ago, makePolicy, makeRepair, makeRun, nodeId, pageOf, serve } from "../testing";
import type { RepairAction } from "./api";
import { repairGlyph } from "./repair-text";
import { IncidentRepairsCard, NodeRepairsCard } from "./repairs-card";
import RepairsPage from "./repairs-page";

const actions = "GET /self-heal/actions";
const one = `/self-heal/actions/${makeRepair().id}`;

async function log(items: RepairAction[], others: Parameters<typeof serve>[0] = {}, path = "/monitoring/repairs") {
  const { permissions, ...replies } = { permissions: ["*"], ...others } as typeof others & { permissions: string[] };
  const panel = serve({ [actions]: pageOf(...items), ...replies }, permissions);
  const page = await renderApp(<RepairsPage />, { path, queries: panel.queries });
  return { ...page, ...panel };
}

const row = (name: string) => screen.findByRole("listitem", { name });

describe("the log of self-repair", () => {
  it("says of each action what it was, to whom, why, and what came of it", async () => {
    await log([
      makeRepair({ id: "1", node_name: "a", state: "succeeded", outcome: "helped", approved_by: "anna" }),
      makeRepair({ id: "2", node_name: "b", state: "succeeded", outcome: "not_helped", started_at: ago(60) }),
      makeRepair({ id: "3", node_name: "c", state: "failed", error: "the agent did not answer" }),
      makeRepair({ id: "4", node_name: "d", state: "skipped", reason: "budget" }),
      makeRepair({ id: "5", node_name: "e", state: "skipped", reason: "dismissed", dismissed_by: "oleg" }),
      makeRepair({ id: "6", node_name: "f", state: "undone" }),
      makeRepair({ id: "7", node_name: "g", state: "skipped", action: "withdraw_from_pool", reason: "pool_share" }),
      makeRepair({ id: "8", node_name: "h", state: "skipped", action: "reapply_installed", reason: "no_flow" }),
    ]);
    expect(await row("Restart core a")).toHaveTextContent(/It helped: the node is well\. · Approved by anna/);
    expect(await row("Restart core b")).toHaveTextContent(/It did not help\. · By the panel itself/);
    expect(await row("Restart core c")).toHaveTextContent("the agent did not answer");
    expect(await row("Restart core d")).toHaveTextContent("So many actions are not allowed within an hour.");
    expect(await row("Restart core e")).toHaveTextContent(/It was dismissed\. · Dismissed by oleg/);
    expect(await row("Restart core f")).toHaveTextContent("Taken back, because the cause is gone.");
    expect(await row("Withdraw from pools g")).toHaveTextContent("No pool can spare the node.");
    expect(await row("Install again what is installed h")).toHaveTextContent("Nothing is installed on the node.");
    const first = within(await row("Restart core a"));
    expect(first.getByText("Because of the core")).toBeInTheDocument();
    expect(first.getByText(/^Down, 1 of 1, /)).toBeInTheDocument();
    expect(first.getByText("By the policy Edge")).toBeInTheDocument();
    expect(first.getByRole("link", { name: "Incident" })).toHaveAttribute(
      "href",
      `/monitoring/incidents/${makeRepair().incident_id}`,
    );
    expect(screen.queryByRole("button", { name: "Approve…" }), "nothing waits").toBeNull();
  });

  it("keeps its filter in the address, and counts what waits", async () => {
    const { address } = await log([makeRepair()]);
    expect(await screen.findByRole("link", { name: /^Self-repair\s?1$/ })).toBeInTheDocument();
    await userEvent.click(await screen.findByRole("link", { name: /^Proposed\s?1$/ }));
    await waitFor(() => expect(address()).toContain("state=proposed"));
  });

  it("of one node says so, and leads back to all", async () => {
    const { address } = await log([makeRepair()], {}, `/monitoring/repairs?node=${nodeId}`);
    await userEvent.click(await screen.findByRole("link", { name: "Show all nodes" }));
    await waitFor(() => expect(address()).not.toContain("node="));
  });

  it("says beside it how far each policy lets it go, and what it would have done last week by itself", async () => {
    const item = { at: ago(9_000), node_id: nodeId, node_name: "fra-02", action: "restart_core" as const };
    const { asked } = await log([], {
      "GET /policies": pageOf(
        makePolicy(),
        makePolicy({ id: "2", name: "Edge", default: false, repair: { ...makePolicy().repair, mode: "auto" } }),
        makePolicy({ id: "3", name: "Lab", default: false, repair: { ...makePolicy().repair, actions: [] } }),
      ),
      "GET /self-heal/dry-run": {
        body: makeRun({
          cases: 3,
          actions: 2,
          spared: 1,
          nodes: 1,
          items: [
            { ...item, state: "skipped", reason: "cooldown" },
            { ...item, at: ago(9_900), state: "approved", reason: "" },
          ],
        }),
      },
    });
    const modes = within(await screen.findByRole("region", { name: "Modes" }));
    expect((await modes.findAllByRole("listitem")).map((mode) => mode.textContent)).toEqual([
      "Everything elsePropose",
      "EdgeAct by itself",
      "LabNever",
    ]);
    const would = within(await screen.findByRole("region", { name: "By itself, last week" }));
    expect(
      await would.findByText(
        "In the last 7 days it would have acted 2 times, on 1 node. 1 time its limits would have kept it back.",
      ),
    ).toBeInTheDocument();
    expect(would.getByText("The last action was too short ago.")).toBeInTheDocument();
    expect(screen.getByText("No actions")).toBeInTheDocument();
    expect(asked.some(({ path }) => path === "/self-heal/dry-run")).toBe(true);
  });

  it("says what went wrong when it cannot be read", async () => {
    await log([], { [actions]: { status: 503, body: { status: 503, code: "unavailable" } } });
    expect(await screen.findByRole("button", { name: "Retry" })).toBeInTheDocument();
  });
});

describe("a proposal", () => {
  it("is approved after a question that says what it breaks", async () => {
    const { written } = await log([makeRepair()], {
      [`POST ${one}/approve`]: { body: makeRepair({ state: "approved", approved_by: "anna" }) },
    });
    await userEvent.click(await screen.findByRole("button", { name: "Approve…" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Restart core of fra-02?" }));
    expect(dialog.getByText(/Connections through it break for some seconds/)).toBeInTheDocument();
    expect(written()).toEqual([]);
    await userEvent.click(dialog.getByRole("button", { name: "Restart core" }));
    await waitFor(() => expect(written()).toEqual([{ method: "POST", path: `${one}/approve`, body: undefined }]));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  });

  it("is dismissed, and what the panel refuses is said in the dialog", async () => {
    const { written } = await log([makeRepair()], {
      [`POST ${one}/dismiss`]: { status: 409, body: { status: 409, code: "action_not_proposed", request_id: "r-7" } },
    });
    await userEvent.click(await screen.findByRole("button", { name: "Dismiss…" }));
    const dialog = within(await screen.findByRole("dialog"));
    await userEvent.click(dialog.getByRole("button", { name: "Dismiss" }));
    expect(await dialog.findByText(/r-7/)).toBeInTheDocument();
    expect(written()).toHaveLength(1);
  });

  it("is closed to whoever may only look", async () => {
    await log([makeRepair()], { permissions: ["health.view"] } as never);
    const approve = await screen.findByRole("button", { name: /^Approve…/ });
    expect(approve).toHaveAttribute("aria-disabled", "true");
  });
});

describe("what was changed", () => {
  const withdrawn = makeRepair({
    action: "withdraw_from_pool",
    state: "succeeded",
    outcome: "helped",
    effects: [{ kind: "pool", id: "p", name: "Europe", from: "", to: "withdrawn" }],
    undoable: true,
  });

  it("is taken back after a question that says what that means", async () => {
    const { written } = await log([withdrawn], {
      [`POST ${one}/undo`]: { body: { ...withdrawn, state: "undone", undoable: false, undone_by: "anna" } },
    });
    await userEvent.click(await screen.findByRole("button", { name: "Take back…" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Take back what was done about fra-02?" }));
    expect(dialog.getByText(/gets new connections again/)).toBeInTheDocument();
    expect(written()).toEqual([]);
    await userEvent.click(dialog.getByRole("button", { name: "Take back" }));
    await waitFor(() => expect(written()).toEqual([{ method: "POST", path: `${one}/undo`, body: undefined }]));
  });

  it("is told of hosts at proxy panels, and of one that had to stay", async () => {
    const effects = [{ kind: "host" as const, id: "h", name: "Europe", from: "main", to: "hidden" }];
    await log([
      makeRepair({ action: "hide_proxypanel_hosts", state: "succeeded", outcome: "helped", effects, undoable: true }),
      makeRepair({ id: "8", node_name: "waw", action: "hide_proxypanel_hosts", state: "skipped", reason: "last_host" }),
    ]);
    expect(await screen.findByText("Hidden at the proxy panel main: Europe")).toBeInTheDocument();
    expect(screen.getByText(/no other host that works/)).toBeInTheDocument();
  });

  it("is told of names that lead to another address, and what taking that back means", async () => {
    const effects = [{ kind: "domain" as const, id: "d", name: "n1.example.com", from: "192.0.2.1", to: "192.0.2.9" }];
    await log([
      makeRepair({ action: "switch_dns", state: "succeeded", effects, undoable: true }),
      makeRepair({ id: "8", node_name: "waw", action: "switch_dns", state: "undone", outcome: "not_helped" }),
    ]);
    expect(await screen.findByText("Name n1.example.com: 192.0.2.1 → 192.0.2.9")).toBeInTheDocument();
    expect(screen.getByText("It did not help and was taken back.")).toBeInTheDocument();
    await userEvent.click(screen.getByRole("button", { name: "Take back…" }));
    expect(await screen.findByText(/lead to the node's own address again/)).toBeInTheDocument();
  });

  it("cannot be taken back where nothing was changed", async () => {
    await log([makeRepair({ state: "succeeded" })]);
    await row("Restart core fra-02");
    expect(screen.queryByRole("button", { name: "Take back…" })).toBeNull();
  });
});

describe("beside a node or an incident", () => {
  it("a node shows its last actions and the way to all of them", async () => {
    const { queries } = serve({ [actions]: pageOf(makeRepair({ state: "running" })) });
    await renderApp(<NodeRepairsCard nodeId={nodeId} />, { queries });
    const card = within(await screen.findByRole("region", { name: "Self-repair" }));
    expect(card.getByText("Under way")).toBeInTheDocument();
    expect(card.getByRole("link", { name: "All, 1 action" })).toHaveAttribute(
      "href",
      `/monitoring/repairs?node=${nodeId}`,
    );
  });

  it("says nothing where nothing was done", async () => {
    const { queries, asked } = serve({ [actions]: pageOf() });
    await renderApp(<NodeRepairsCard nodeId={nodeId} />, { queries });
    await waitFor(() => expect(asked).toHaveLength(1));
    expect(screen.queryByRole("region", { name: "Self-repair" })).toBeNull();
  });

  it("an incident shows what was changed, the newest first", async () => {
    const { queries } = serve({});
    const effects = [{ kind: "pool" as const, id: "p", name: "Europe", from: "", to: "withdrawn" }];
    const list = [
      makeRepair({ id: "1", node_name: "first" }),
      makeRepair({ id: "2", node_name: "second", state: "succeeded", effects }),
    ];
    await renderApp(<IncidentRepairsCard actions={list} />, { queries });
    const names = (await screen.findAllByRole("link")).map((link) => link.textContent);
    expect(names).toEqual(["second", "first"]);
    expect(screen.getByText("Withdrawn from the pool Europe")).toBeInTheDocument();
  });

  it("an action that did not help is no good news", () => {
    expect(repairGlyph({ state: "succeeded", outcome: "helped" })).toBe("healthy");
    expect(repairGlyph({ state: "succeeded", outcome: "not_helped" })).toBe("degraded");
  });
});
