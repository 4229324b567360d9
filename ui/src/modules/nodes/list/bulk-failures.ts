import i18next from "i18next";
import { Problem } from "@/api/problem";
import { problemText } from "@/text/problem-text";
import type { BulkResult } from "../shared/api";

const named = 3;

/** Says which nodes did not take part and why: each reason once, with the first few of its nodes by name. */
export function bulkFailures(results: readonly BulkResult[], nodes: readonly { id: string; name: string }[]): string {
  const names = new Map(nodes.map((node) => [node.id, node.name]));
  const reasons = new Map<string, string[]>();
  for (const result of results.filter((one) => !one.ok)) {
    const reason = reasonOf(result);
    reasons.set(reason, [...(reasons.get(reason) ?? []), names.get(result.node_id) ?? result.node_id]);
  }
  return [...reasons].map(([reason, whose]) => `${listed(whose)}: ${reason}`).join("\n");
}

function listed(names: readonly string[]): string {
  const rest = names.length - named;
  return rest > 0 ? `${names.slice(0, named).join(", ")} +${rest}` : names.join(", ");
}

/** A failure inside the panel has no request id of its own here. */
function reasonOf({ code, error }: BulkResult): string {
  if (code === "internal") return i18next.t("nodes:bulk.internal");
  return problemText(new Problem({ status: 409, code: code ?? "", detail: error }));
}
