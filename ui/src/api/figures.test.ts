import { afterEach, describe, expect, it } from "vitest";
import { figures, takeFrame, topicOf } from "./figures";
import { serverClock, serverNow } from "./server-clock";

const counted = { total: 2, states: {}, figures: { nodes: 2, sessions: 5, net_rx_bps: 1, net_tx_bps: 2, cpu_pct: 3 } };
const frame = (nodes: unknown[], at = "2026-03-11T12:00:10Z") =>
  takeFrame({
    kind: "node.metrics",
    at,
    interval_s: 3,
    stale_after_s: 30,
    fleet: counted,
    regions: [],
    nodes,
  } as never);

afterEach(() => {
  figures.setState(figures.getInitialState());
  serverClock.setState(serverClock.getInitialState());
});

describe("the topic of the figures", () => {
  it("is what all open pages show together, and nothing without a page", () => {
    expect(topicOf([])).toBeUndefined();
    expect(topicOf([[]])).toBe("metrics");
    expect(topicOf([["b", "a"], ["a"]])).toBe("metrics:a.b");
    expect(topicOf([["a"], "all"])).toBe("metrics:*");
  });

  it("never asks for more nodes than the panel takes", () => {
    const ids = Array.from({ length: 100 }, (_, index) => `n${index}`);
    expect(topicOf([ids])!.split(".")).toHaveLength(64);
  });
});

describe("a frame", () => {
  it("moves the nodes that it tells and leaves the others", () => {
    frame([
      ["a", 1773230405, 7, 100, 200, 40, 50],
      ["b", 1773230400, null, 1, 2, 3, 4],
    ]);
    frame([["a", 1773230410, 8, 110, 210, 41, 51]]);
    const { nodes, fleet } = figures.getState();
    expect(nodes.get("a")).toMatchObject({ sessions: 8, rx: 110, tx: 210, cpu: 41, memory: 51 });
    expect(nodes.get("b")).toMatchObject({ sessions: null, rx: 1 });
    expect(fleet?.figures.sessions).toBe(5);
  });

  it("has the age that the panel says, whatever the clock of the browser says", () => {
    frame([["a", Date.parse("2026-03-11T12:00:05Z") / 1000, 7, 100, 200, 40, 50]]);
    expect(serverNow() - figures.getState().nodes.get("a")!.at).toBeGreaterThanOrEqual(5_000);
    expect(serverNow() - figures.getState().nodes.get("a")!.at).toBeLessThan(60_000);
  });
});
