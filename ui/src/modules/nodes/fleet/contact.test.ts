import { expect, it } from "vitest";
import { contactOf } from "./contact";

it("counts as reporting what is heard, in order or not", () => {
  expect(contactOf({ online: 38, degraded: 2, offline: 1, pending: 1 }, [{ cause: "core_failed", nodes: 2 }])).toEqual({
    reporting: 40,
    silent: 0,
    offline: 1,
    degraded: 2,
  });
});

it("does not call nodes online that missed two reports, from the first moment of an outage", () => {
  const attention = [
    { cause: "agent_stale", nodes: 30 },
    { cause: "agent_stale", nodes: 10 },
    { cause: "core_failed", nodes: 1 },
  ];
  expect(contactOf({ online: 1, degraded: 41 }, attention)).toEqual({
    reporting: 2,
    silent: 40,
    offline: 0,
    degraded: 1,
  });
});

it("takes no node away twice while it turns from silent to offline", () => {
  expect(contactOf({ online: 1, degraded: 10, offline: 30 }, [{ cause: "agent_stale", nodes: 40 }])).toEqual({
    reporting: 1,
    silent: 10,
    offline: 30,
    degraded: 0,
  });
});

it("is nothing where nothing is known", () => {
  expect(contactOf({}, [])).toEqual({ reporting: 0, silent: 0, offline: 0, degraded: 0 });
});
