import { describe, expect, it } from "vitest";
import type { Incident } from "../shared/fleet";
import { incidentItems } from "./incidents";

const incident = (change: Partial<Incident> = {}): Incident => ({
  cause: "agent_lost",
  state: "offline",
  since: "2026-03-11T05:53:00Z",
  until: "2026-03-11T05:53:20Z",
  nodes: 34,
  first: ["ams-01", "ams-02", "fra-01", "fra-02"].map((name) => ({ id: name, name })),
  ids: ["a", "b"],
  flows: 8,
  first_flows: [{ id: "f", name: "Europe main" }],
  ...change,
});
const t = (key: string, values: Record<string, unknown> = {}) => [key, ...Object.values(values)].join(" ");
const clock = (iso: string) => iso.slice(11, 16);
const items = (attention: Incident[], all: number, total = 42) =>
  incidentItems({ attention, attention_nodes: all, total }, t, clock);

describe("what needs attention in the fleet", () => {
  it("is one line for one cause, with all of its nodes and the flows that they carry", () => {
    const [item, ...rest] = items([incident()], 34);
    expect(rest).toEqual([]);
    expect(item).toMatchObject({
      severity: "crit",
      count: 34,
      name: "incident.nodes 34",
      what: "incident.agent_lost incident.at 05:53",
      effect: "incident.flows 8: Europe main…",
      act: { path: "/nodes", search: { state: "offline" } },
    });
    expect(item!.members).toContain("incident.andMore ams-01, ams-02, fra-01 31");
  });

  it("suspects the panel's own line only when nearly all are gone", () => {
    expect(items([incident()], 34)[0]!.members).toContain("incident.ownLine");
    expect(items([incident({ nodes: 5 })], 5)[0]!.members).not.toContain("incident.ownLine");
    expect(items([incident({ cause: "core_failed" })], 34)[0]!.members).not.toContain("incident.ownLine");
  });

  it("names a single node and leads to it", () => {
    const [item] = items([incident({ nodes: 1, first: [{ id: "n", name: "waw-02" }], flows: 0 })], 1);
    expect(item).toMatchObject({ name: "waw-02", effect: "incident.noFlow", act: { path: "/nodes/n" } });
    expect(item!.members).toBeUndefined();
  });

  it("lists silent nodes whether they are degraded still or offline already", () => {
    const [stale] = items([incident({ cause: "agent_stale", state: "degraded" })], 34);
    expect(stale!.act).toMatchObject({ path: "/nodes", search: { state: "attention" } });
    const [failed] = items([incident({ cause: "core_stopped", state: "degraded" })], 34);
    expect(failed!.act).toMatchObject({ search: { state: "degraded" } });
  });

  it("names its nodes where health tells of the same, and not where only this list knows the cause", () => {
    const about = (cause: Incident["cause"]) => items([incident({ cause })], 34)[0]!.about;
    expect(about("agent_lost")).toEqual(["a", "b"]);
    expect(about("core_failed")).toEqual(["a", "b"]);
    expect(about("config_behind")).toBeUndefined();
    expect(about("cloned")).toBeUndefined();
  });

  it("counts what does not fit instead of leaving it out", () => {
    const all = items([incident()], 60);
    expect(all.at(-1)).toMatchObject({ id: "nodes-rest", count: 26 });
  });
});
