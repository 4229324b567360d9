import { screen, within } from "@testing-library/react";
import { beforeEach, expect, it } from "vitest";
import { figures, takeFrame } from "@/api/figures";
import { renderApp } from "@/testing/render-app";
import { serveUnder } from "@/testing/serve";
import { RegionsCard } from "./regions-card";
import { FleetFigures } from "./tiles";

const counted = (total: number, online: number, sessions: number, sent: number) => ({
  total,
  states: { online, offline: total - online },
  figures: { nodes: online, sessions, net_rx_bps: 1e9, net_tx_bps: sent, cpu_pct: 20, oldest_sample_at: null },
});

// Many more nodes than a page of the list has.
const summary = {
  ...counted(5_000, 4_966, 412_345, 2.5e12),
  attention: [],
  attention_nodes: 34,
  regions: [
    { region: "Bulk", ...counted(4_000, 3_970, 400_000, 2e12), cities: [] },
    { region: "Europe", ...counted(1_000, 996, 12_345, 5e11), cities: [] },
  ],
};

beforeEach(() => figures.setState(figures.getInitialState(), true));

async function overview(points: { at: string; value: number }[] = []) {
  const panel = serveUnder("/api/v1")({
    "GET /nodes/summary": { body: summary },
    "GET /nodes/metrics": { body: { points, step_s: 300 } },
  });
  await renderApp(
    <>
      <FleetFigures />
      <RegionsCard />
    </>,
    { queries: panel.queries },
  );
  await screen.findByText("412,345");
  return panel;
}

it("are those of the whole fleet, summed by the panel, never of a page of it", async () => {
  const { asked } = await overview();
  expect(screen.getByText("of 5,000")).toBeInTheDocument();
  expect(screen.getByText("on 4,966 nodes")).toBeInTheDocument();
  expect(screen.getByText("4,966")).toBeInTheDocument();
  expect(screen.getByText("2.50")).toBeInTheDocument();
  const bulk = screen.getByRole("row", { name: /^Bulk/ });
  expect(within(bulk).getByText("400,000")).toBeInTheDocument();
  expect(bulk).toHaveTextContent("3,970 / 4,000");
  expect(asked.map(({ path }) => path)).not.toContain("/nodes");
});

it("call nothing a peak that is below what is sent now", async () => {
  await overview([{ at: "2026-03-11T12:00:00Z", value: 2e10 }]);
  expect(screen.queryByText(/^peak/)).toBeNull();
});

it("move with the sums that a frame brings, which are of the whole fleet as well", async () => {
  await overview();
  takeFrame({
    kind: "node.metrics",
    at: new Date().toISOString(),
    interval_s: 3,
    stale_after_s: 30,
    fleet: counted(5_000, 4_999, 412_999, 2.6e12),
    regions: [{ region: "Bulk", ...counted(4_000, 3_999, 400_777, 2e12) }],
    nodes: [],
  } as unknown as Parameters<typeof takeFrame>[0]);
  expect(await screen.findByText("412,999")).toBeInTheDocument();
  expect(screen.getByRole("row", { name: /^Bulk/ })).toHaveTextContent("3,999 / 4,000");
});
