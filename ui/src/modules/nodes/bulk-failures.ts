import type { BulkResult } from "./api";

const named = 3;

/** Says which nodes did not take part and why, the first few by name. */
export function bulkFailures(results: readonly BulkResult[], nodes: readonly { id: string; name: string }[]): string {
  const names = new Map(nodes.map((node) => [node.id, node.name]));
  const failures = results.filter((result) => !result.ok);
  const words = failures.slice(0, named).map((result) => `${names.get(result.node_id) ?? result.node_id}: ${result.error}`);
  return failures.length > named ? `${words.join("; ")}; +${failures.length - named}` : words.join("; ");
}
