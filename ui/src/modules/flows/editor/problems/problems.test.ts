import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { compareDrawings, changedBlocks } from "../../drawing/compare";
import { connect, setField, moveWay, place, removeEdge } from "../../drawing/drawing-edits";
import { destination } from "../../shared/api";
import { europe } from "../../testing/places";
import type { Drawing } from "../../drawing/drawing";
import { readBlock } from "../inspector/json-shape";
import { outlineOf } from "../outline/outline-model";
import { wordKeys } from "./problem-words";
import {
  countErrors,
  fieldName,
  firstToFix,
  gatherProblems,
  isOfField,
  placeOf,
  problemsOfRules,
  refusedFields,
  valueAt,
} from "./problems";
import { chosenPair, draftId } from "../../versions/version-pair";
import en from "../../messages.en.json";
import ru from "../../messages.ru.json";

describe("the place of a problem", () => {
  it("is a block and its field, or an edge and its field", () => {
    expect(placeOf(europe, "nodes[0].params.listener.port")).toEqual({ block: "entry", field: "params.listener.port" });
    expect(placeOf(europe, "edges[2].match.geosite[0]")).toEqual({ edge: 2, from: "entry", field: "match.geosite[0]" });
    expect(placeOf(europe, "nodes")).toBeUndefined();
    expect(placeOf(europe, "nodes[99].key")).toBeUndefined();
  });

  it("shows each finding once, errors first", () => {
    const finding = { code: "invalid_value", path: "edges[2].match.geosite[0]", message: "x" };
    const all = gatherProblems(europe, [finding, finding], [{ code: "no_clients", path: "nodes[1]", message: "y" }]);
    expect(all.map((problem) => problem.severity)).toEqual(["error", "warning"]);
    expect(problemsOfRules(all, "entry")).toHaveLength(1);
  });

  it("tells what is still to be filled in from what is wrong", () => {
    const blank = setField(setField(europe, "exit", "node_id", ""), "entry", "params.listener.port", 70000);
    const exit = blank.nodes.findIndex((block) => block.key === "exit");
    const findings = [
      { code: "node_required", path: `nodes[${exit}].node_id`, message: "choose the node" },
      { code: "invalid_value", path: "nodes[0].params.listener.port", message: "use 1 to 65535" },
      { code: "path_without_exit", path: "nodes[5]", message: "connect this block" },
    ];
    expect(gatherProblems(blank, findings).map((problem) => problem.severity)).toEqual(["missing", "error", "missing"]);
    expect(countErrors(gatherProblems(blank, findings))).toBe(3);
  });

  it("are begun with what is wrong, and with what is still to be filled in where nothing is", () => {
    const blank = setField(europe, "exit", "node_id", "");
    const exit = blank.nodes.findIndex((block) => block.key === "exit");
    const unfinished = [
      { code: "path_without_exit", path: "nodes", message: "connect a block" },
      { code: "node_required", path: `nodes[${exit}].node_id`, message: "choose the node" },
    ];
    const wrong = { code: "invalid_value", path: "nodes[0].params.listener.port", message: "use 1 to 65535" };
    const warning = { code: "no_clients", path: "nodes[1]", message: "nobody may connect" };
    expect(firstToFix(gatherProblems(blank, [...unfinished, wrong]))?.code).toBe("invalid_value");
    expect(firstToFix(gatherProblems(blank, unfinished, [warning]))?.code).toBe("node_required");
    expect(firstToFix(gatherProblems(blank, [], [warning]))).toBeUndefined();
  });

  it("calls a second rule without a condition unfinished, not wrong", () => {
    const more = connect(europe, "entry", "exit-2");
    const finding = { code: "ambiguous_default", path: `edges[${more.edges.length - 1}].match`, message: "x" };
    expect(gatherProblems(more, [finding])[0]!.severity).toBe("missing");
  });

  it("reads the fields of a refused save as findings about the drawing", () => {
    const fields = [
      { field: "graph.nodes[0].params.listener.port", code: "invalid_value", message: "expected number <= 65535" },
      { field: "revision", code: "invalid_value", message: "x" },
    ];
    const [finding, ...others] = refusedFields(fields);
    expect(others).toEqual([]);
    expect(placeOf(europe, finding!.path)).toEqual({ block: "entry", field: "params.listener.port" });
    expect(valueAt(setField(europe, "entry", "params.listener.port", 70000), finding!.path)).toBe(70000);
  });

  it("finds the form field of an item of a list", () => {
    expect(isOfField("match.geosite[0]", "match.geosite")).toBe(true);
    expect(isOfField("match.geosite2", "match.geosite")).toBe(false);
    expect(fieldName("params.listener.reality.short_ids[1]")).toBe("short_ids");
  });
});

describe("the words of a finding", () => {
  const finding = { code: "target_private", path: "nodes[0].params.listener.reality.target", message: "x" };

  it("tell a warning from an error of the same code", () => {
    expect(wordKeys({ ...finding, severity: "error" })).toEqual([
      "finding.target_private_target",
      "finding.target_private",
    ]);
    expect(wordKeys({ ...finding, severity: "warning" })[0]).toBe("finding.target_private_warning");
    expect(Object.keys(ru.finding)).toEqual(expect.arrayContaining(["target_private", "target_private_warning"]));
  });
});

describe("comparing drawings", () => {
  it("does not count where a block is drawn, and counts the order of rules", () => {
    expect(compareDrawings(europe, place(europe, { entry: { x: 8, y: 8 } }))).toEqual([]);
    expect(compareDrawings(europe, moveWay(europe, 0, 1))).toMatchObject([
      { op: "changed", fields: [{ field: "rules", a: "1, 2, 3, 4", b: "2, 1, 3, 4" }] },
    ]);
  });

  it("counts as the panel does", () => {
    const path = "../modules/flows/internal/graph/testdata/changes.json";
    const cases = JSON.parse(readFileSync(path, "utf8")) as {
      name: string;
      changes: number;
      before: Drawing;
      after: Drawing;
    }[];
    expect(cases.map(({ name, before, after }) => [name, compareDrawings(before, after).length])).toEqual(
      cases.map(({ name, changes }) => [name, changes]),
    );
  });

  it("names the object and its fields", () => {
    const changed = setField(europe, "entry", "params.listener.port", 8443);
    expect(compareDrawings(europe, changed)).toMatchObject([
      { op: "changed", fields: [{ field: "listener.port", a: "443", b: "8443" }] },
    ]);
    expect([...changedBlocks(compareDrawings(europe, changed))]).toEqual(["entry"]);
    expect(compareDrawings(europe, removeEdge(europe, 0))[0]!.op).toBe("removed");
  });
});

describe("the outline", () => {
  it("has every block and every rule of the drawing", () => {
    const rows = outlineOf(europe, () => false);
    const blocks = new Set(rows.flatMap((row) => (row.kind === "block" ? [row.block.key] : [])));
    expect(blocks.size).toBe(europe.nodes.length);
    expect(rows.filter((row) => row.kind === "way")).toHaveLength(6);
  });

  it("opens a block that several ways lead to once", () => {
    const rows = outlineOf(europe, () => false).filter((row) => row.kind === "block" && row.block.key === "transit");
    expect(rows.map((row) => row.repeated)).toEqual([false, true]);
  });

  it("folds an end behind a rule, which already names it", () => {
    const rows = outlineOf(europe);
    expect(rows.some((row) => row.kind === "block" && row.block.key === "direct")).toBe(false);
    expect(rows.some((row) => row.kind === "block" && row.block.key === "transit")).toBe(true);
  });

  it("folds what follows a row", () => {
    const rows = outlineOf(europe, (id) => id === "entry");
    expect(rows[0]!.kind === "block" && rows[0]!.children).toBe(4);
    expect(rows.some((row) => row.kind === "block" && row.block.key === "direct")).toBe(false);
  });
});

describe("the pair of a comparison", () => {
  it("never puts the draft on the left", () => {
    expect(chosenPair({ a: "v-1", b: draftId }, "v-1")).toEqual({ a: "v-1", b: draftId });
    expect(chosenPair({ a: "v-1", b: "v-2" }, "v-1")).toEqual({ a: "v-2", b: "v-1" });
    expect(chosenPair({ a: "v-1", b: "v-2" }, "v-3")).toEqual({ a: "v-3", b: "v-2" });
  });
});

describe("small readings", () => {
  it("reads what to trace", () => {
    expect(destination("youtube.com:443")).toEqual({ domain: "youtube.com", port: 443 });
    expect(destination("1.1.1.1")).toEqual({ ip: "1.1.1.1" });
    expect(destination(":25")).toEqual({ port: 25 });
    expect(destination("2001:db8::1")).toEqual({ ip: "2001:db8::1" });
    expect(destination("[2001:db8::1]:53")).toEqual({ ip: "2001:db8::1", port: 53 });
  });

  it("takes unknown fields of a block's JSON as problems", () => {
    const block = europe.nodes[0]!;
    expect(readBlock(JSON.stringify(block), block)).toEqual({ block });
    expect(readBlock("{", block)).toEqual({ faults: [{ kind: "syntax" }] });
    expect(readBlock(JSON.stringify({ ...block, colour: 1 }), block)).toEqual({
      faults: [{ kind: "unknown", field: "colour" }],
    });
    const allowed = { ...block, params: { listener: { reality: { allow_private_target: true } } } };
    expect(readBlock(JSON.stringify(allowed), block)).toEqual({ block: allowed });
    expect(
      readBlock(
        JSON.stringify({ ...block, params: { listener: { reality: { allow_private_target: "yes" } } } }),
        block,
      ),
    ).toEqual({ faults: [{ kind: "type", field: "params.listener.reality.allow_private_target" }] });
    expect(readBlock(JSON.stringify({ ...block, key: "other" }), block)).toEqual({
      faults: [{ kind: "fixed", field: "key" }],
    });
    expect(readBlock(JSON.stringify({ ...block, params: { listener: { port: "443" } } }), block)).toEqual({
      faults: [{ kind: "type", field: "params.listener.port" }],
    });
  });

  it("has every word in both languages", () => {
    const keys = (words: object, prefix = ""): string[] =>
      Object.entries(words).flatMap(([key, value]) =>
        typeof value === "object"
          ? keys(value as object, `${prefix}${key}.`)
          : [prefix + key.replace(/_(one|few|many|other)$/, "")],
      );
    const shared = (words: object) => new Set(keys(words).filter((key) => !key.startsWith("finding.")));
    const [english, russian] = [shared(en), shared(ru)];
    expect([...english].filter((key) => !russian.has(key))).toEqual([]);
    expect([...russian].filter((key) => !english.has(key))).toEqual([]);
  });
});
