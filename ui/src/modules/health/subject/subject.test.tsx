import { screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { renderApp } from "@/testing/render-app";
import type { History } from "../shared/api";
import { ago, makeDay, makeDetail, makeEvidence, makeSubject, nodeId, serve } from "../testing";
import { chartOf } from "./chart-of";
import { targetsOf } from "./evidence-card";
import FlowDays from "./flow-column";
import { SubjectBody } from "./subject-body";

const history: History = {
  from: "2026-03-10T00:00:00Z",
  to: "2026-03-10T01:00:00Z",
  step_s: 600,
  points: [],
  changes: [
    { at: ago(9_000), was: "up", state: "down", reason: "unreachable", hint: "unreachable" },
    { at: ago(6_000), was: "down", state: "up", reason: "", hint: "" },
  ],
  days: [],
};

async function draw(detail = makeDetail(), permissions = ["*"]) {
  const asked = serve(
    {
      [`GET /nodes/${nodeId}`]: { body: detail },
      [`GET /nodes/${nodeId}/history`]: { body: history },
      "POST /checks/run": { status: 202, body: { checks: 3, vantages: 9 } },
    },
    permissions,
  );
  await renderApp(<SubjectBody kind="nodes" id={nodeId} />, { queries: asked.queries });
  return asked;
}

describe("how a node does", () => {
  // A node that the panel sees and three agents do not is not down: the route is.
  it("is said with the likely cause, and who sees what", async () => {
    await draw();
    const verdict = within(await screen.findByRole("region", { name: "Verdict" }));
    expect(verdict.getByText("Degraded")).toBeInTheDocument();
    expect(verdict.getByText("Likely cause: the route from some places, not the node")).toBeInTheDocument();
    const target = within(screen.getByRole("region", { name: "TCP 203.0.113.7:443" }));
    expect(target.getByText("down for 3 of 4")).toBeInTheDocument();
    const [panel, agent] = target.getAllByRole("listitem");
    expect(panel).toHaveTextContent("PanelHealthy21 ms");
    expect(agent).toHaveTextContent("ams-01Downno answer in time, 4 failures in a row");
  });

  it("does not count evidence that is too old", async () => {
    await draw(makeDetail({ evidence: [makeEvidence({ stale: true, at: ago(900) })] }));
    const row = await screen.findByText("too old to count");
    expect(row.closest("li")).toHaveTextContent("No data");
  });

  it("is told with its days, its changes and the policy that judges it", async () => {
    await draw(
      makeDetail({ days: [makeDay(), makeDay({ day: "2026-03-11", state: "down", up_pct: 90, down_s: 8_640 })] }),
    );
    expect(await screen.findByTitle("11 Mar, Down, down for 2 h")).toBeInTheDocument();
    expect(screen.getByText("2 places see it down and none well")).toBeInTheDocument();
    const changes = await screen.findByRole("list", { name: "Changes of state" });
    expect(within(changes).getAllByRole("listitem")[1]).toHaveTextContent("Down It cannot be reached");
  });

  it("is checked now by whoever may", async () => {
    const { written } = await draw();
    await userEvent.click(await screen.findByRole("button", { name: "Check now" }));
    expect(written()).toEqual([{ method: "POST", path: "/checks/run", body: { node_ids: [nodeId] } }]);
  });

  it("is not checked by whoever may only look", async () => {
    const { written } = await draw(makeDetail(), ["health.view"]);
    const button = await screen.findByRole("button", { name: /Check now/ });
    expect(button).toHaveAttribute("aria-disabled", "true");
    await userEvent.click(button);
    expect(written()).toEqual([]);
  });
});

it("the list of flows asks once for the bars of all its rows", async () => {
  const { asked, queries } = serve({
    "GET /connection-units": {
      body: {
        items: [makeSubject({ id: "f1", days: [makeDay()] })],
        next_cursor: null,
        total: 1,
      },
    },
  });
  const ids = ["f1", "f2"];
  await renderApp(
    <>
      <FlowDays id="f1" ids={ids} />
      <FlowDays id="f2" ids={ids} />
    </>,
    { queries },
  );
  expect(await screen.findByRole("img", { name: /^100 % up over 1 day/ })).toBeInTheDocument();
  expect(screen.getByText("—")).toBeInTheDocument();
  expect(asked).toHaveLength(1);
});

it("evidence of one target stands together", () => {
  const [a, b, c] = [
    makeEvidence(),
    makeEvidence({ check: "tls" }),
    makeEvidence({ vantage: { kind: "self", name: "x" } }),
  ];
  expect(targetsOf([a, b, c]).map(({ check, seen }) => [check, seen.length])).toEqual([
    ["tcp", 2],
    ["tls", 1],
  ]);
});

describe("the chart of answers", () => {
  const at = (minute: number) => new Date(Date.parse(history.from) + minute * 60_000).toISOString();
  const point = (minute: number, check: "tcp" | "tls", latency: number | null) => ({
    at: at(minute),
    check,
    results: 1,
    failed: latency === null ? 1 : 0,
    latency_ms: latency,
  });

  it("has a line for each check that answered, and gaps where nothing did", () => {
    const chart = chartOf({ ...history, points: [point(0, "tls", 40), point(10, "tcp", 20), point(20, "tcp", null)] });
    expect(chart.lines.map(({ check }) => check)).toEqual(["tcp", "tls"]);
    expect(chart.lines[0]!.values.slice(0, 3)).toEqual([null, 20, null]);
  });

  it("draws results that stand by themselves by the minute", () => {
    const raw = { ...history, step_s: 0, points: [point(0, "tcp", 10), point(0.5, "tcp", 30)] };
    expect(chartOf(raw).lines[0]!.values[0]).toBe(20);
  });
});
