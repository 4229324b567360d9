import { expect, it } from "vitest";
import { staleFlows } from "./stale";

it("leaves the editor of a flow alone when the news is about another one", () => {
  const stale = staleFlows({ kind: "flow.apply_succeeded", subject_type: "flow", subject_id: "7" });
  expect(stale).toEqual([
    ["flows", "list"],
    ["flows", "count"],
    ["flows", "7"],
    ["flows", "name", "7"],
  ]);
});

it("reads only the lists again when a node changed", () => {
  expect(staleFlows({ kind: "node.offline", subject_type: "node", subject_id: "7" })).toEqual([["flows", "list"]]);
});
