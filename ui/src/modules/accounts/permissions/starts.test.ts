import { describe, expect, it } from "vitest";
import { grantable, roleKeys } from "./starts";

const catalogue = [
  "accounts.manage",
  "accounts.view",
  "audit.view",
  "connection_units.apply",
  "connection_units.view",
  "nodes.edit",
  "nodes.view",
  "settings.manage",
];

describe("roles to start from", () => {
  it("hold what their names say, of the permissions that there are", () => {
    expect(roleKeys("viewer", catalogue)).toEqual(["connection_units.view", "nodes.view"]);
    expect(roleKeys("operator", catalogue)).toEqual(["audit.view", "connection_units.*", "nodes.*"]);
    expect(roleKeys("auditor", catalogue)).toEqual([
      "accounts.view",
      "audit.view",
      "connection_units.view",
      "nodes.view",
    ]);
    expect(roleKeys("manager", catalogue)).toEqual(["audit.*", "connection_units.*", "nodes.*", "settings.*"]);
    expect(roleKeys("full", catalogue)).toEqual(["*"]);
  });

  it("give no more than the one who grants them holds, and say how much stays behind", () => {
    expect(grantable(["*"], ["*"], catalogue)).toEqual({ held: ["*"], left: 0 });
    expect(grantable(["connection_units.*", "nodes.*"], ["nodes.*", "connection_units.view"], catalogue)).toEqual({
      held: ["connection_units.view", "nodes.*"],
      left: 1,
    });
    expect(grantable(["*"], ["nodes.view"], catalogue)).toEqual({ held: ["nodes.view"], left: 7 });
  });
});
