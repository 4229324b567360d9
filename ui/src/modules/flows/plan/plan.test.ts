import { describe, expect, it } from "vitest";
import { Problem } from "@/api/problem";
import type { Plan } from "../shared/api";
import { subjectOf } from "../shared/check-words";
import { fakeCheck, fakeFlow, fakePlan } from "../testing/samples";
import { changesOf, countChanges } from "./plan-changes";
import { planStatus } from "./plan-state";

describe("what a plan is worth", () => {
  const flow = fakeFlow();
  const status = (change: Partial<Plan> = {}, refused: unknown = null) => planStatus(flow, fakePlan(change), refused);

  it("is unconfirmed readiness where force can help, and something with a fix otherwise", () => {
    expect(status()).toBe("unconfirmed");
    expect(status({ readiness: [fakeCheck()] })).toBe("ready");
    expect(status({ errors: [{ code: "x", path: "", message: "" }] })).toBe("errors");
    const conflict = { kind: "port", node_id: "n", l4: "tcp", port: 443, path: "", with: {} } as const;
    expect(status({ conflicts: [conflict] })).toBe("conflict");
    expect(status({ revision: 16 })).toBe("outdated");
    expect(status({ state: "stale" })).toBe("stale");
    expect(status({}, new Problem({ status: 409, code: "port_conflict" }))).toBe("conflict");
    expect(status({}, new Problem({ status: 409, code: "apply_active" }))).toBe("applying");
  });

  it("is blocked where force cannot help: an agent is offline, or a check cannot be passed", () => {
    const finding = { code: "agent_offline", params: { node: "fra-02" }, text: "the agent of fra-02 does not answer" };
    expect(status({ obstacles: [{ code: "agent_offline", node_id: "n-fra", node_name: "fra-02", finding }] })).toBe(
      "blocked",
    );
    expect(status({ readiness: [fakeCheck({ status: "failed", forceable: false, blocks: true })] })).toBe("blocked");
  });

  it("waits while the nodes are asked, and no longer", () => {
    const waiting = fakeCheck({
      status: "unconfirmed",
      observed_at: null,
      finding: { code: "not_observed", text: "not observed yet" },
    });
    expect(status({ readiness: [waiting], checking: true })).toBe("checking");
    expect(status({ readiness: [waiting] })).toBe("unconfirmed");
  });
});

describe("the changes of a plan", () => {
  const rule = (op: "added" | "removed", match: string, to = "exit") => ({
    op,
    node_id: "n-msk",
    name: "entry to exit",
    [op === "added" ? "to" : "from"]: `match ${match}, to ${to}`,
    [op === "added" ? "to_fields" : "from_fields"]: { match, to },
  });
  const of = (routes: Plan["diff"]["routes"]) => changesOf({ diff: { ...fakePlan().diff, routes } });
  const routesOf = (routes: Plan["diff"]["routes"]) => of(routes).filter((change) => change.group === "routes");

  it("count objects, not fields", () => {
    expect(countChanges(changesOf(fakePlan()))).toEqual({ added: 3, changed: 2, removed: 1, total: 6 });
  });

  it("tell a rule with another condition as one change", () => {
    expect(routesOf([rule("removed", "example.com"), rule("added", "example.com, example.org")])).toMatchObject([
      { op: "changed", field: "match", from: "example.com", to: "example.com, example.org" },
    ]);
  });

  it("leave a second rule between the same blocks an addition", () => {
    const changes = routesOf([rule("removed", "a"), rule("added", "b"), rule("added", "c")]);
    expect(changes.map((change) => change.op)).toEqual(["changed", "added"]);
    expect(countChanges(changes)).toEqual({ added: 1, changed: 1, removed: 0, total: 2 });
  });

  it("never take two clients of one name for one", () => {
    const client = { node_id: "n-msk", name: "tablet" };
    const clients: Plan["diff"]["clients"] = [
      { ...client, op: "removed", from_fields: { id: "1" } },
      { ...client, op: "added", to_fields: { id: "2" } },
    ];
    const changes = changesOf({ diff: { ...fakePlan().diff, clients } }).filter(({ group }) => group === "clients");
    expect(changes.map((change) => change.op)).toEqual(["removed", "added"]);
  });
});

it("reads the subject of a check from its key", () => {
  expect(subjectOf(fakeCheck())).toBe("443/tcp");
  expect(subjectOf(fakeCheck({ key: "listener:n-msk:2001:db8::1:443/udp" }))).toBe("443/udp");
  expect(subjectOf(fakeCheck({ group: "target", key: "target:n-msk:dl.example.org:443:dl.example.org" }))).toBe(
    "dl.example.org:443",
  );
});
