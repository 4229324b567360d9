import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { renderApp } from "@/testing/render-app";
import { ago, nodeId, serve } from "../testing";
import { frequentKinds, type Bar, type Overview } from "./api";
import OverviewPage from "./overview-page";

// A canvas is nothing that jsdom has.
vi.mock("@/components/chart/chart-plot", () => ({
  makePlot: () => ({ setData: vi.fn(), setSize: vi.fn(), redraw: vi.fn(), destroy: vi.fn() }),
}));

const bar = (hours: number, kinds: Bar["kinds"]): Bar => ({
  at: ago(hours * 3_600),
  total: kinds.reduce((sum, { signals }) => sum + signals, 0),
  kinds,
});

const overview: Overview = {
  counted_at: ago(30),
  hours: [bar(1, [{ kind: "torrent", signals: 4 }]), bar(0, [{ kind: "port_scan", signals: 3 }])],
  days: [bar(24, [{ kind: "torrent", signals: 1_000 }]), bar(0, [])],
  cases: { open: 4, actioned: 1, dismissed: 2, expired: 0 },
  incomplete: [{ node_id: nodeId, node: "fra-02", listeners: 3, incomplete: 2 }],
  unprotected: [{ node_id: "2", node: "ams-01", why: "the kernel has no nftables" }],
  blocking: 1,
};

async function draw(change: Partial<Overview> = {}) {
  const { queries } = serve({ "GET /overview": { body: { ...overview, ...change } } });
  await renderApp(<OverviewPage />, { queries });
}

describe("the overview of abuse protection", () => {
  it("counts cases and signals, and leads to them", async () => {
    await draw();
    const figures = within(await screen.findByRole("region", { name: "Cases by state" }));
    expect(figures.getByText("4")).toBeInTheDocument();
    expect(figures.getByText("7")).toBeInTheDocument();
    expect(figures.getAllByRole("link", { name: "Show" })[1]).toHaveAttribute("href", "/abuse?state=actioned");
  });

  it("names the nodes that see or can do less, with the reason", async () => {
    await draw();
    expect(
      within(await screen.findByRole("region", { name: "Not seen whole" })).getByText("2 of 3 listeners"),
    ).toBeInTheDocument();
    const unprotected = within(screen.getByRole("region", { name: "Cannot block addresses" }));
    expect(unprotected.getByText("the kernel has no nftables")).toBeInTheDocument();
    expect(unprotected.getByText("1 node can")).toBeInTheDocument();
  });

  it("says where nothing is missing", async () => {
    await draw({ incomplete: [], unprotected: [] });
    expect(await screen.findByText("Every node can block addresses.")).toBeInTheDocument();
  });

  it("shows a day by hours and a week by days", async () => {
    await draw();
    await userEvent.click(await screen.findByRole("radio", { name: "7 days" }));
    expect(screen.getByText("per day")).toBeInTheDocument();
  });

  it("has a line for each of the most frequent kinds, the most frequent first", () => {
    const kinds = frequentKinds([
      bar(1, [
        { kind: "port_scan", signals: 1 },
        { kind: "torrent", signals: 2 },
        { kind: "smtp_spam", signals: 3 },
      ]),
      bar(0, [{ kind: "high_rate", signals: 9 }]),
    ]);
    expect(kinds.map(({ kind }) => kind)).toEqual(["high_rate", "smtp_spam", "torrent"]);
    expect(kinds[0]!.values).toEqual([0, 9]);
  });
});
