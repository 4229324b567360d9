import { describe, expect, it } from "vitest";
import { fakeClient, fakeFlow } from "../testing/samples";
import { configState, needsWork, waitingClients, worstFirst } from "./states";

const known = [fakeClient("c-1", "anna")];
const settled = { draft_revision: 16, clients: known };

describe("the configuration of a flow", () => {
  it("tells separate facts apart", () => {
    expect(configState(fakeFlow())).toBe("draft");
    expect(configState(fakeFlow(settled))).toBe("in_sync");
    expect(configState(fakeFlow({ clients: known }), 0)).toBe("in_sync");
    expect(configState(fakeFlow({ clients: known, draft_changes: 0 }))).toBe("in_sync");
    expect(configState(fakeFlow({ clients: known, draft_changes: 0 }), 2)).toBe("draft");
    expect(configState(fakeFlow({ drift: { state: "drifted", node_ids: [], stages: [] } }))).toBe("drifted");
    expect(configState(fakeFlow({ enabled: false }))).toBe("disabled");
    expect(configState(fakeFlow({ installed_revision: null }))).toBe("never");
  });

  it("is not in sync while a client waits, or a revoked one is still let in", () => {
    const added = fakeClient("c-2", "oleg", { installed: false });
    const revoked = fakeClient("c-3", "old", { state: "revoked" });
    const disabled = fakeClient("c-4", "off", { state: "disabled", installed: false });
    expect(configState(fakeFlow({ ...settled, clients: [...known, added] }))).toBe("clients");
    const clients = [...known, added, revoked, { ...revoked, installed: false }];
    expect(waitingClients(fakeFlow({ clients }))).toBe(2);
    expect(waitingClients(fakeFlow({ clients: [{ ...added, by_apply: false }] }))).toBe(0);
    expect(configState(fakeFlow({ ...settled, clients: [...known, disabled] }))).toBe("in_sync");
  });
});

describe("the health of a flow", () => {
  it("is trouble when nothing is heard of a flow that serves, and none of a flow that does not", () => {
    expect(needsWork(fakeFlow({ health_state: "unknown" }), "health")).toBe(true);
    expect(needsWork(fakeFlow({ health_state: "unknown", installed_revision: null }), "health")).toBe(false);
    expect(needsWork(fakeFlow({ health_state: "down", enabled: false }), "health")).toBe(false);
  });
});

it("puts first what needs somebody most", () => {
  const flows = [
    fakeFlow({ name: "calm", ...settled }),
    fakeFlow({ name: "new", installed_revision: null, health_state: "unknown" }),
    fakeFlow({ name: "failed", state: "apply_failed" }),
    fakeFlow({ name: "silent", health_state: "unknown" }),
    fakeFlow({ name: "broken", health_state: "down" }),
    fakeFlow({ name: "drawn" }),
    fakeFlow({ name: "weak", health_state: "degraded" }),
  ];
  expect(flows.sort(worstFirst).map((flow) => flow.name)).toEqual([
    "broken",
    "weak",
    "silent",
    "failed",
    "drawn",
    "calm",
    "new",
  ]);
});
