import { saveCsv, type CsvField } from "@/components/table/csv";
import type { Node } from "../shared/types";

export const nodesCsvFields: CsvField<Node>[] = [
  ["name", (node) => node.name],
  ["address", (node) => node.address],
  ["country", (node) => node.country_code],
  ["region", (node) => node.region],
  ["city", (node) => node.city],
  ["roles", (node) => node.roles.join(" ")],
  ["tags", (node) => node.tags.join(" ")],
  ["state", (node) => node.state],
  ["config_in_sync", (node) => String(node.core.in_sync)],
  ["cpu_pct", (node) => node.metrics?.cpu_pct ?? ""],
  ["net_rx_bps", (node) => node.metrics?.net_rx_bps ?? ""],
  ["net_tx_bps", (node) => node.metrics?.net_tx_bps ?? ""],
  ["measured_at", (node) => node.metrics?.observed_at ?? ""],
  ["last_seen_at", (node) => node.agent.last_seen_at ?? ""],
  ["agent_version", (node) => node.agent.version],
  ["id", (node) => node.id],
];

export function saveNodesCsv(nodes: readonly Node[]): void {
  saveCsv("nodes.csv", nodesCsvFields, nodes);
}
