import type { components } from "@/api/schema.gen";

type Changes = components["schemas"]["AuditEntry"]["changes"];

export interface DiffLine {
  sign: "+" | "-" | " ";
  text: string;
}

/** One changed field. A secret has no lines: its value was never stored. */
export interface DiffField {
  path: string;
  secret?: "changed" | "set" | "removed";
  lines: DiffLine[];
}

/** What an entry changed, field by field; objects are taken apart into their own fields. */
export function diffOf(changes: Changes): DiffField[] {
  return Object.keys(changes)
    .sort()
    .flatMap((field) => fieldsOf(field, changes[field]!.from, changes[field]!.to));
}

function fieldsOf(path: string, from: unknown, to: unknown): DiffField[] {
  const secret = secretOf(from, to);
  if (secret) return [{ path, secret, lines: [] }];
  if (isObject(from) && isObject(to)) {
    const keys = [...new Set([...Object.keys(from), ...Object.keys(to)])].sort();
    return keys
      .filter((key) => JSON.stringify(from[key]) !== JSON.stringify(to[key]))
      .flatMap((key) => fieldsOf(`${path}.${key}`, from[key], to[key]));
  }
  const apart = isLongList(from) || isLongList(to);
  return [{ path, lines: lineDiff(linesOf(from, apart), linesOf(to, apart)) }];
}

/** The journal writes a secret as "set" or "unset", never as itself. */
function secretOf(from: unknown, to: unknown): DiffField["secret"] {
  const words = [from, to].filter((value) => value !== null && value !== undefined);
  if (words.length === 0 || !words.every((value) => value === "set" || value === "unset")) return undefined;
  if (to !== "set") return "removed";
  return from === "set" ? "changed" : "set";
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const longestLine = 56;

/** A list of words that would fill more than a line: each word gets its own, so that only what differs is marked. */
function isLongList(value: unknown): boolean {
  return isList(value) && inOneLine(value).length > longestLine;
}

function isList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function inOneLine(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('","', '", "')
    .replaceAll(/(\d),(?=[\d-])/g, "$1, ");
}

function linesOf(value: unknown, apart: boolean): string[] {
  if (value === null || value === undefined || value === "") return [];
  if (typeof value === "string") return value.split("\n");
  if (apart && isList(value)) return value;
  const short = inOneLine(value);
  return short.length <= longestLine ? [short] : JSON.stringify(value, null, 2).split("\n");
}

const mostLines = 400;

/** The shortest way from one text to another by whole lines; very long texts are shown as replaced. */
export function lineDiff(from: readonly string[], to: readonly string[]): DiffLine[] {
  if (from.length + to.length > mostLines) return [...signed("-", from), ...signed("+", to)];
  const common = commonLengths(from, to);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < from.length || j < to.length) {
    if (i < from.length && j < to.length && from[i] === to[j]) {
      lines.push({ sign: " ", text: from[i]! });
      i += 1;
      j += 1;
    } else if (j >= to.length || (i < from.length && common[i + 1]![j]! >= common[i]![j + 1]!)) {
      lines.push({ sign: "-", text: from[i]! });
      i += 1;
    } else {
      lines.push({ sign: "+", text: to[j]! });
      j += 1;
    }
  }
  return lines;
}

function signed(sign: DiffLine["sign"], texts: readonly string[]): DiffLine[] {
  return texts.map((text) => ({ sign, text }));
}

/** For every pair of ends, how many lines the rests have in common. */
function commonLengths(from: readonly string[], to: readonly string[]): number[][] {
  const table = Array.from({ length: from.length + 1 }, () => new Array<number>(to.length + 1).fill(0));
  for (let i = from.length - 1; i >= 0; i -= 1)
    for (let j = to.length - 1; j >= 0; j -= 1)
      table[i]![j] = from[i] === to[j] ? table[i + 1]![j + 1]! + 1 : Math.max(table[i + 1]![j]!, table[i]![j + 1]!);
  return table;
}

/** The same lines side by side: what was, and what is. */
export function sideBySide(lines: readonly DiffLine[]): { before?: DiffLine; after?: DiffLine }[] {
  const rows: { before?: DiffLine; after?: DiffLine }[] = [];
  let open = 0;
  for (const line of lines) {
    if (line.sign === " ") {
      rows.push({ before: line, after: line });
      open = rows.length;
    } else if (line.sign === "-") {
      rows.push({ before: line });
    } else {
      const waiting = rows.findIndex((row, index) => index >= open && row.after === undefined);
      if (waiting < 0) rows.push({ after: line });
      else rows[waiting]!.after = line;
    }
  }
  return rows;
}
