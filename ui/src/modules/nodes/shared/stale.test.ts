import { expect, it } from "vitest";
import { staleNodes } from "./stale";

it("leaves the page of a node alone when the news is about another one", () => {
  const stale = staleNodes({ kind: "node.offline", subject_type: "node", subject_id: "7" });
  expect(stale).toContainEqual(["nodes", "list"]);
  expect(stale).toContainEqual(["nodes", "one", "7"]);
  expect(stale).not.toContainEqual(["nodes"]);
  expect(stale).not.toContainEqual(["nodes", "one"]);
});

it("asks for everything about nodes where the news names none", () => {
  expect(staleNodes({ kind: "node.telemetry" })).toEqual([["nodes"]]);
});

it("knows that flows are no news of nodes", () => {
  expect(staleNodes({ kind: "flow.changed", subject_type: "flow", subject_id: "7" })).toEqual([]);
});
