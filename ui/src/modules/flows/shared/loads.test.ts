import { describe, expect, it } from "vitest";
import type { Drawing } from "../drawing/drawing";
import { fakeTraffic } from "../testing/samples";
import type { Traffic } from "./api";
import { atStake, busiest, lineWidth, loadsOfWays } from "./loads";

const drawing: Drawing = {
  nodes: [],
  edges: [
    { from: "in", to: "a", match: { domain: ["netflix.com"] } },
    { from: "in", to: "b" },
  ],
};
const now = fakeTraffic().at;
const edge = (index: number, down: number | null, observed_at: string | null = now): Traffic["edges"][0] => ({
  index,
  from: "in",
  to: "",
  node_id: "n-fra",
  up_bps: down === null ? null : 1_000_000,
  down_bps: down,
  observed_at,
});
const traffic = (edges: Traffic["edges"]): Traffic => ({ ...fakeTraffic(), at: now, edges });

describe("traffic on the ways of a draft", () => {
  it("follows a way that was moved or stands elsewhere in the list, and not one that is new", () => {
    const draft: Drawing = {
      nodes: [],
      edges: [{ from: "in", to: "c" }, drawing.edges[1]!, { ...drawing.edges[0]!, match: { domain: ["x.org"] } }],
    };
    const loads = loadsOfWays(traffic([edge(0, 9_000_000), edge(1, 4_000_000)]), drawing, draft);
    expect([...loads]).toEqual([[1, 5_000_000]]);
  });

  it("leaves out what nobody measures and what was measured long ago", () => {
    const old = new Date(Date.parse(now) - 60_000).toISOString();
    expect(loadsOfWays(traffic([edge(0, 9, old), edge(1, null, null)]), drawing, drawing).size).toBe(0);
    expect(loadsOfWays(undefined, drawing, drawing).size).toBe(0);
  });

  it("draws more as a wider line, and names the three busiest ways of a block", () => {
    expect(lineWidth(undefined)).toBeUndefined();
    expect(lineWidth(1_000_000_000)!).toBeGreaterThan(lineWidth(1_000_000)!);
    expect(lineWidth(0)).toBe(1.4);
    const four: Drawing = { nodes: [], edges: [1, 2, 3, 4].map((to) => ({ from: "in", to: String(to) })) };
    const loads = new Map([1, 9, 3, 5].map((rate, index) => [index, rate]));
    expect(busiest(loads, four)).toEqual(new Set([1, 3, 2]));
  });
});

describe("what an apply touches", () => {
  it("counts sessions of entries, and only the traffic where there is no entry", () => {
    const both = traffic([edge(0, 9_000_000)]);
    expect(atStake(both, ["n-msk"])).toEqual({ sessions: 14, rate: 33_400_000 });
    expect(atStake(both, ["n-fra"])).toEqual({ sessions: undefined, rate: 10_000_000 });
    expect(atStake(both, ["n-hel"])).toEqual({ sessions: undefined, rate: undefined });
    expect(atStake(undefined, ["n-msk"])).toEqual({ sessions: undefined, rate: undefined });
  });
});
