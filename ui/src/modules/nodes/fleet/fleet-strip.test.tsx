import { act } from "@testing-library/react";
import { beforeEach, expect, it } from "vitest";
import { figures, takeFrame } from "@/api/figures";
import { renderApp } from "@/testing/render-app";
import { serveUnder } from "@/testing/serve";
import { FleetStrip } from "./fleet-strip";

const id = "01890000-0000-7000-8000-0000000000c2";
const counted = {
  total: 1,
  states: { online: 1 },
  figures: { nodes: 1, sessions: 1, net_rx_bps: 0, net_tx_bps: 0, cpu_pct: 40, oldest_sample_at: null },
};

beforeEach(() => figures.setState(figures.getInitialState(), true));

function frame(age: number, cpu: number) {
  const seconds = Math.floor(Date.now() / 1000) - age;
  act(() =>
    takeFrame({
      kind: "node.metrics",
      at: new Date().toISOString(),
      interval_s: 3,
      stale_after_s: 30,
      fleet: counted,
      regions: [],
      nodes: [[id, seconds, 1, 0, 0, cpu, 0]],
    } as unknown as Parameters<typeof takeFrame>[0]),
  );
}

it("shows the load of a node as long as it is measured, and none of one that is silent", async () => {
  const panel = serveUnder("/api/v1")({
    "GET /nodes/summary": { body: { ...counted, attention: [], attention_nodes: 0, regions: [] } },
    "GET /nodes/cells": { body: { total: 1, cells: [[id, "ams-01", "online", "Europe", 12]] } },
  });
  const { container } = await renderApp(<FleetStrip />, { queries: panel.queries });
  const cell = () => container.querySelector(`[data-node="${id}"]`);
  await expect.poll(() => cell()?.getAttribute("data-load")).toBe("12");
  frame(3, 64);
  expect(cell()).toHaveAttribute("data-load", "64");
  frame(90, 64);
  expect(cell()).not.toHaveAttribute("data-load");
});
