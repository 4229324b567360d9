import type { Language } from "@/text/format";
import { compareNames } from "@/text/name-order";
import type { FleetCell } from "../shared/fleet";

export interface Region {
  name: string;
  cells: FleetCell[];
}

/** Cells by region, biggest group first, equal ones by name; nodes of nowhere stand last. */
export function byRegion(cells: readonly FleetCell[], language: Language): Region[] {
  const groups = new Map<string, FleetCell[]>();
  for (const cell of cells) {
    const group = groups.get(cell[3]);
    if (group) group.push(cell);
    else groups.set(cell[3], [cell]);
  }
  return [...groups]
    .map(([name, members]) => ({
      name,
      cells: members.sort((a, b) => compareNames(a[1], b[1], language)),
    }))
    .sort(
      (a, b) =>
        Number(a.name === "") - Number(b.name === "") ||
        b.cells.length - a.cells.length ||
        compareNames(a.name, b.name, language),
    );
}
