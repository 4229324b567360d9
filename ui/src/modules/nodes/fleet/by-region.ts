import type { Node } from "../shared/types";

export interface Region {
  name: string;
  nodes: Node[];
}

/** Nodes by region, else by country, biggest group first; nodes of nowhere stand last. */
export function byRegion(nodes: readonly Node[]): Region[] {
  const groups = new Map<string, Node[]>();
  for (const node of nodes) {
    const name = node.region || (node.country_code === "XX" ? "" : node.country_code);
    groups.set(name, [...(groups.get(name) ?? []), node]);
  }
  return [...groups]
    .map(([name, members]) => ({
      name,
      nodes: members.sort((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true })),
    }))
    .sort((a, b) => Number(a.name === "") - Number(b.name === "") || b.nodes.length - a.nodes.length);
}
