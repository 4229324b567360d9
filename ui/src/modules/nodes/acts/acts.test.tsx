import { QueryClient } from "@tanstack/react-query";
import { screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { meQuery } from "@/api/access";
import { beginSession } from "@/api/session";
import { makeMe, makeNode } from "@/testing/fixtures";
import { asksBeforeItCloses, renderDialog } from "@/testing/typed-text";
import { effectsOn } from "./effects";
import { NodeActDialog, type AskedAct } from "./node-act-dialog";
import { quietestHour } from "./quietest-hour";

const fra = makeNode({ id: "fra", name: "fra-02" });
const lon = makeNode({
  id: "lon",
  name: "lon-03",
  state: "maintenance",
  maintenance: { until: "2026-03-12T05:40:00Z", reason: "Provider swaps the disk" },
});
const off = makeNode({ id: "off", name: "ams-01", agent: { ...fra.agent, connected: false }, metrics: undefined });

const flow = (id: string, node_ids: string[], entry: string | null = null) => ({
  id,
  name: `flow ${id}`,
  node_ids,
  entry: entry === null ? null : { node_id: entry },
});

/** The panel of these tests: one flow on fra, and a bulk route that succeeds for everything but `fails`. */
function panel(fails: string[] = []) {
  const sent: Record<string, unknown>[] = [];
  const reply = (body: unknown) =>
    new Response(JSON.stringify(body), { headers: { "Content-Type": "application/json" } });
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input) => {
    const request = input as Request;
    if (request.url.includes("/connection-units")) {
      return reply({ items: [flow("1", ["fra", "x", "y"])], next_cursor: null, total: 1 });
    }
    if (request.url.includes("/metrics")) return reply({ metric: "tcp_established", step_seconds: 600, points: [] });
    const body = (await request.json()) as { ids: string[] };
    sent.push(body);
    const results = body.ids.map((node_id) => {
      const ok = !fails.includes(node_id);
      return { node_id, ok, code: ok ? "" : "agent_offline", error: "offline", operation_id: null };
    });
    return reply({ results });
  });
  return sent;
}

async function ask(act: AskedAct, nodes = [fra, lon, off], permissions = ["*"], onClose = () => undefined as void) {
  beginSession("ps_test");
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  queries.setQueryDefaults(["accounts"], { staleTime: Infinity });
  queries.setQueryData(meQuery.queryKey, makeMe(permissions));
  await renderDialog(<NodeActDialog act={act} nodes={nodes} onClose={onClose} />, { queries });
  return within(await screen.findByRole("dialog"));
}

describe("acts on nodes", () => {
  let sent: Record<string, unknown>[];
  beforeEach(() => void (sent = panel()));
  afterEach(() => vi.restoreAllMocks());

  it("send nothing before they are confirmed, and name the flows and connections that they hit", async () => {
    const dialog = await ask("restart_core", [fra]);
    const effects = dialog.getByRole("region", { name: "What it hits now" });
    expect(await within(effects).findByRole("link", { name: "flow 1" })).toBeInTheDocument();
    expect(effects).toHaveTextContent("1 of its 3 nodes");
    expect(effects).toHaveTextContent("12 open TCP connections");
    expect(sent).toEqual([]);
  });

  it("write large counts as every other page does", async () => {
    const busy = { ...fra, metrics: { ...fra.metrics!, tcp_established: 4_370 } };
    const dialog = await ask("restart_core", [busy]);
    const effects = dialog.getByRole("region", { name: "What it hits now" });
    expect(await within(effects).findByText("4,370 open TCP connections there")).toBeInTheDocument();
  });

  it("ask before a typed reason is lost", async () => {
    const closed = vi.fn();
    const dialog = await ask("maintenance_on", [fra], ["*"], closed);
    await userEvent.type(dialog.getByRole("textbox", { name: "Reason" }), "new cables");
    await asksBeforeItCloses(closed);
  });

  it("leave the reason and the end of a running maintenance alone", async () => {
    const dialog = await ask("maintenance_on");
    expect(dialog.getByRole("region", { name: "Not included" })).toHaveTextContent(
      /lon-03 is in maintenance already and keeps its reason and end, until .*, “Provider swaps the disk”/,
    );
    await userEvent.type(dialog.getByRole("textbox", { name: "Reason" }), "new cables");
    await userEvent.click(dialog.getByRole("button", { name: "Begin maintenance" }));
    expect(await dialog.findByText("Done on 2 nodes")).toBeInTheDocument();
    expect(sent).toEqual([{ act: "maintenance_on", ids: ["fra", "off"], reason: "new cables" }]);
  });

  it("leave out nodes whose agent cannot be reached", async () => {
    const dialog = await ask("restart_core", [fra, off]);
    expect(dialog.getByRole("region", { name: "Not included" })).toHaveTextContent("ams-01 its agent is not connected");
    await userEvent.click(dialog.getByRole("button", { name: "Restart core" }));
    expect(await dialog.findByText("Done on 1 node")).toBeInTheDocument();
    expect(sent).toEqual([{ act: "restart_core", ids: ["fra"] }]);
  });

  it("are closed with the reason when no chosen node can take part", async () => {
    const dialog = await ask("maintenance_on", [lon]);
    const act = dialog.getByRole("button", { name: /^Begin maintenance/ });
    expect(act).toHaveAttribute("aria-disabled", "true");
    expect(act).toHaveAccessibleDescription("None of the chosen nodes can take part");
  });

  it("delete only nodes that no flow runs on, after the word was typed", async () => {
    const dialog = await ask("delete", [fra, lon, off]);
    expect(await dialog.findByRole("region", { name: "Not included" })).toHaveTextContent("fra-02 a flow runs there");
    const act = () => dialog.getByRole("button", { name: /^Delete nodes/ });
    expect(act()).toHaveAttribute("aria-disabled", "true");
    await userEvent.type(dialog.getByRole("textbox"), "DELETE");
    await userEvent.click(act());
    expect(await dialog.findByText("Done on 2 nodes")).toBeInTheDocument();
    expect(sent).toEqual([{ act: "delete", ids: ["lon", "off"] }]);
  });

  it("say that flows cannot be seen rather than that there are none", async () => {
    const dialog = await ask("disable", [fra], ["nodes.edit"]);
    const effects = dialog.getByRole("region", { name: "What it hits now" });
    expect(effects).toHaveTextContent("Your account may not see flows");
    expect(effects).not.toHaveTextContent("No installed flow uses it");
  });
});

it("tells a flow that enters at a node from one that only passes it", () => {
  const flows = [flow("in", ["fra", "x"], "fra"), flow("all", ["fra"]), flow("part", ["fra", "x"], "x")];
  expect(effectsOn([fra], flows, true, (key) => key).map((effect) => [effect.glyph, effect.text])).toEqual([
    ["down", "act.flowEntry"],
    ["down", "act.flowWhole"],
    ["degraded", "act.flowPart"],
    ["no-data", "act.connections"],
  ]);
});

it("shows no outage of flows for an act that cuts nothing", () => {
  const flows = [flow("in", ["fra", "x"], "fra"), flow("all", ["fra"])];
  expect(effectsOn([fra], flows, false, (key) => key).map((effect) => [effect.glyph, effect.text])).toEqual([
    ["healthy", "act.uncut"],
    [undefined, "act.flowEnters"],
    [undefined, "act.flowAlone"],
    ["no-data", "act.connections"],
  ]);
  expect(effectsOn([fra], [], false, (key) => key).map((effect) => effect.text)).toEqual([
    "act.noFlow",
    "act.connections",
  ]);
});

it("names the hour with the fewest open on all nodes together, and none from less than half a day", () => {
  const at = (hour: number) => new Date(Date.UTC(2026, 2, 11, hour)).toISOString();
  const series = (hours: number, quiet: number, open: number) => ({
    points: Array.from({ length: hours }, (_, hour) => ({ at: at(hour), value: hour === quiet ? open : 2_000 })),
  });
  expect(quietestHour([series(24, 4, 190)])).toEqual({ at: at(4), open: 190 });
  expect(quietestHour([series(24, 4, 190), series(24, 9, 50)])).toEqual({ at: at(9), open: 2_050 });
  expect(quietestHour([series(24, 4, 190), series(6, 4, 0)])).toBeNull();
  expect(quietestHour([])).toBeNull();
});
