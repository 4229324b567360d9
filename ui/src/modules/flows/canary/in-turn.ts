interface OnNode {
  node_id: string;
}

/** Steps in the order in which their nodes are worked on: those of a canary before the rest. */
export function inTurn<S extends OnNode>(steps: readonly S[], canary: { nodes: OnNode[] } | null): S[] {
  const first = new Set(canary?.nodes.map((node) => node.node_id));
  return [...steps.filter((step) => first.has(step.node_id)), ...steps.filter((step) => !first.has(step.node_id))];
}
