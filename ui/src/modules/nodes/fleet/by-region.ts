import type { FleetCell } from "../shared/fleet";

export interface Region {
  name: string;
  cells: FleetCell[];
}

/** Cells by region, biggest group first; nodes of nowhere stand last. */
export function byRegion(cells: readonly FleetCell[]): Region[] {
  const groups = new Map<string, FleetCell[]>();
  for (const cell of cells) {
    const group = groups.get(cell[3]);
    if (group) group.push(cell);
    else groups.set(cell[3], [cell]);
  }
  return [...groups]
    .map(([name, members]) => ({
      name,
      cells: members.sort((a, b) => a[1].localeCompare(b[1], undefined, { numeric: true })),
    }))
    .sort((a, b) => Number(a.name === "") - Number(b.name === "") || b.cells.length - a.cells.length);
}
