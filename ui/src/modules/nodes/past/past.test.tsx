import { screen, within } from "@testing-library/react";
import user from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { api } from "@/api/client";
import { renderApp } from "@/testing/render-app";
import type { FleetMoment } from "./moment";
import { PastFailing } from "./past-failing";
import { PastFigures, PastStrip } from "./past-fleet";
import { windowAround } from "./past-traffic";

const at = "2026-03-11T06:00:00Z";

const failed = (name: string, change: Partial<FleetMoment["failing"][number]> = {}) => ({
  id: name,
  name,
  state: "offline" as const,
  since: "2026-03-11T05:53:00Z",
  until: null,
  ...change,
});

function told(change: Partial<FleetMoment> = {}): void {
  const moment: FleetMoment = {
    at,
    earliest: "2026-02-20T00:00:00Z",
    earlier: null,
    later: null,
    total: 3,
    states: { online: 2, offline: 1 },
    figures: { nodes: 2, sessions: 1234, net_rx_bps: 1e9, net_tx_bps: 2.5e9, cpu_pct: 20, oldest_sample_at: null },
    cells: [
      ["a", "fra-01", "online", "Europe", 40],
      ["b", "ams-01", "offline", "Europe", null],
    ],
    failing: [failed("ams-01")],
    failures: 1,
    ...change,
  };
  vi.spyOn(api, "GET").mockResolvedValue({ data: moment, response: new Response(null, { status: 200 }) } as never);
}

afterEach(() => vi.restoreAllMocks());

describe("the fleet at a moment", () => {
  it("has the figures of its minute, and those of the nodes that are gone since", async () => {
    told();
    await renderApp(
      <>
        <PastFigures at={at} />
        <PastStrip at={at} />
      </>,
    );
    expect(await screen.findByText("1,234")).toBeInTheDocument();
    expect(screen.getByText("of 3")).toBeInTheDocument();
    expect(screen.getByText("1 offline")).toBeInTheDocument();
    expect(screen.getByText("2.50")).toBeInTheDocument();
    const cells = [...document.querySelectorAll("[data-node]")];
    for (const cell of cells) await user.hover(cell);
    expect(screen.getByTitle("fra-01, Healthy, CPU 40 %")).toBeInTheDocument();
    expect(screen.getByTitle("ams-01, Offline")).toBeInTheDocument();
    expect(screen.getByText(/^1 more node, which was removed since/)).toBeInTheDocument();
  });

  it("does not invent figures of a minute in which the panel did not run", async () => {
    told({ figures: null, states: { unknown: 3 } });
    await renderApp(<PastFigures at={at} />);
    expect(await screen.findAllByText("the panel noted nothing then")).toHaveLength(3);
    expect(screen.queryByText("all reported")).not.toBeInTheDocument();
  });
});

describe("what failed at a moment", () => {
  it("says since when, and for how long it went on", async () => {
    told({ failing: [failed("ams-01", { until: "2026-03-11T06:30:00Z" }), failed("waw-02")], failures: 2 });
    await renderApp(<PastFailing at={at} />);
    const card = within(await screen.findByRole("region", { name: "Failing then" }));
    const [first, second] = card.getAllByRole("listitem");
    expect(first).toHaveTextContent(/ams-01 Offline.*for 7 min.*for 30 min more/);
    expect(second).toHaveTextContent("still so now");
    expect(card.getByRole("link", { name: "ams-01" })).toHaveAttribute("href", "/nodes/ams-01");
  });

  it("counts what it does not show", async () => {
    const failing = Array.from({ length: 100 }, (_, index) => failed(`node-${index}`));
    told({ failing, failures: 120 });
    await renderApp(<PastFailing at={at} />);
    await user.click(await screen.findByRole("button", { name: "Show 112 more" }));
    expect(screen.getAllByRole("listitem")).toHaveLength(100);
    expect(screen.getByText("20 more nodes are not listed")).toBeInTheDocument();
  });

  it("says so when nothing did", async () => {
    told({ failing: [], failures: 0 });
    await renderApp(<PastFailing at={at} />);
    expect(await screen.findByText("No node failed at this moment.")).toBeInTheDocument();
  });
});

it("draws the traffic of the hours around, and none of the future", () => {
  const now = Date.parse("2026-03-11T12:00:00Z");
  expect(windowAround(Date.parse("2026-03-10T06:20:00Z"), now)).toEqual({
    from: "2026-03-10T00:00:00.000Z",
    to: "2026-03-10T13:00:00.000Z",
  });
  expect(windowAround(Date.parse(at), now).to).toBe("2026-03-11T12:00:00.000Z");
});
