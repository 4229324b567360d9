import type { Node } from "../shared/types";

const fields: [string, (node: Node) => string | number][] = [
  ["name", (node) => node.name],
  ["address", (node) => node.address],
  ["city", (node) => node.city],
  ["country", (node) => node.country_code],
  ["state", (node) => node.state],
  ["config_in_sync", (node) => String(node.core.in_sync)],
  ["cpu_pct", (node) => node.metrics?.cpu_pct ?? ""],
  ["agent_version", (node) => node.agent.version],
  ["tags", (node) => node.tags.join(" ")],
  ["id", (node) => node.id],
];

/** Rows as CSV; a value that a spreadsheet would run as a formula is disarmed. */
export function nodesCsv(nodes: readonly Node[]): string {
  const lines = nodes.map((node) => fields.map(([, value]) => cell(String(value(node)))).join(","));
  return [fields.map(([name]) => name).join(","), ...lines].join("\r\n");
}

function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function saveNodesCsv(nodes: readonly Node[]): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([nodesCsv(nodes)], { type: "text/csv" }));
  link.download = "nodes.csv";
  link.click();
  URL.revokeObjectURL(link.href);
}
