import type { Line } from "./api";

/** Reads what an export wrote, or a plain list with one name in each line; undefined for neither. */
export function readLines(text: string): Line[] | undefined {
  const trimmed = text.trim();
  if (!trimmed) return undefined;
  if (!/^[[{]/.test(trimmed))
    return trimmed
      .split(/\r?\n/)
      .map((line) => line.trim())
      .filter((line) => line !== "")
      .map((label) => ({ label }));
  try {
    const read: unknown = JSON.parse(trimmed);
    const list = Array.isArray(read) ? read : (read as { clients?: unknown }).clients;
    return Array.isArray(list) && list.every(isLine) ? list : undefined;
  } catch {
    return undefined;
  }
}

function isLine(one: unknown): one is Line {
  return typeof one === "object" && one !== null && typeof (one as { label?: unknown }).label === "string";
}
