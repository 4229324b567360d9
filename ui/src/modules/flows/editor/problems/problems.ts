import type { components } from "@/api/schema.gen";
import type { Drawing } from "../../drawing/drawing";

/** One finding about a drawing or a plan, as the panel words it. */
export type Finding = components["schemas"]["GraphProblem"];

/** What is still to be filled in keeps a draft from running, as an error does, but nobody did anything wrong yet. */
export type Severity = "error" | "missing" | "warning";

export interface Problem extends Finding {
  severity: Severity;
  place: Place;
}

/** Where a problem lives: a block and a field of it, an edge and a field of it, or the drawing as a whole. */
export type Place = { block: string; field: string } | { edge: number; from: string; field: string } | undefined;

const pathForm = /^(nodes|edges)\[(\d+)\](?:\.(.+))?$/;

/** Finds the block or edge that a path such as `nodes[2].params.listener.port` points at. */
export function placeOf(drawing: Drawing, path: string): Place {
  const found = pathForm.exec(path);
  if (!found) return undefined;
  const [, list, number, field = ""] = found;
  const index = Number(number);
  if (list === "nodes") {
    const block = drawing.nodes[index];
    return block && { block: block.key, field };
  }
  const edge = drawing.edges[index];
  return edge && { edge: index, from: edge.from, field };
}

/** Joins errors and warnings, errors first, each once, each with its place in the drawing that they were found in. */
export function gatherProblems(
  drawing: Drawing,
  errors: readonly Finding[],
  warnings: readonly Finding[] = [],
): Problem[] {
  const seen = new Set<string>();
  const own = (severity: Problem["severity"]) => (finding: Finding) => {
    const id = [finding.code, finding.path, finding.policy, finding.rule, finding.rule_name].join(" ");
    if (seen.has(id)) return [];
    seen.add(id);
    const missing = severity === "error" && isMissing(drawing, finding);
    return [{ ...finding, severity: missing ? "missing" : severity, place: placeOf(drawing, finding.path) }];
  };
  return [...errors.flatMap(own("error")), ...warnings.flatMap(own("warning"))];
}

const unfinished = new Set(["no_entry", "path_without_exit"]);

function isMissing(drawing: Drawing, { code, path }: Finding): boolean {
  if (unfinished.has(code)) return true;
  if (code === "policy_forbids") return false;
  return (
    pathForm.exec(path)?.[3] !== undefined && !/^edges\[\d+\]\.(from|to)/.test(path) && isBlank(valueAt(drawing, path))
  );
}

function isBlank(value: unknown): boolean {
  if (value === undefined || value === null || value === "" || value === 0) return true;
  return typeof value === "object" && Object.values(value).every(isBlank);
}

/** The value that a path such as `edges[2].match.domain[1]` points at. */
export function valueAt(drawing: Drawing, path: string): unknown {
  const steps = path.replace(/\[(\d+)\]/g, ".$1").split(".");
  return steps.reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], drawing);
}

/** Fields that the panel refused when it was asked to save them, as findings about the drawing that was sent. */
export function refusedFields(fields: readonly { field: string; code: string; message: string }[]): Finding[] {
  return fields.flatMap(({ field, code, message }) => {
    const path = /(?:nodes|edges)\[\d+\].*$/.exec(field)?.[0];
    return path ? [{ code, path, message }] : [];
  });
}

export function problemsOfBlock(problems: readonly Problem[], key: string): Problem[] {
  return problems.filter((problem) => problem.place && "block" in problem.place && problem.place.block === key);
}

export function problemsOfEdge(problems: readonly Problem[], index: number): Problem[] {
  return problems.filter((problem) => problem.place && "edge" in problem.place && problem.place.edge === index);
}

/** Problems of the ways out of a block, shown at its rules. */
export function problemsOfRules(problems: readonly Problem[], key: string): Problem[] {
  return problems.filter((problem) => problem.place && "edge" in problem.place && problem.place.from === key);
}

/** The last word of a field's path without its index: `short_ids` of `params.listener.reality.short_ids[1]`. */
export function fieldName(path: string): string {
  return (
    path
      .replace(/\[\d+\]/g, "")
      .split(".")
      .at(-1) ?? ""
  );
}

/** Whether a problem's field is this form field: the same path, or an item of its list. */
export function isOfField(problemField: string, field: string): boolean {
  return problemField === field || problemField.startsWith(`${field}[`);
}

export function countErrors(problems: readonly Problem[]): number {
  return problems.filter((problem) => problem.severity !== "warning").length;
}

/** The problem to begin with: what is wrong before what is still to be filled in, what can be shown before the rest. */
export function firstToFix(problems: readonly Problem[]): Problem | undefined {
  const order = (problem: Problem) => (problem.place ? 0 : 2) + (problem.severity === "error" ? 0 : 1);
  return problems.filter(({ severity }) => severity !== "warning").sort((a, b) => order(a) - order(b))[0];
}
