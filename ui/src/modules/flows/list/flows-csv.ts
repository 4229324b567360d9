import { saveCsv, type CsvField } from "@/components/table/csv";
import type { Flow } from "../shared/api";
import { configState, serves, waitingClients } from "../shared/states";

export const flowsCsvFields: CsvField<Flow>[] = [
  ["name", (flow) => flow.name],
  ["config", (flow) => configState(flow)],
  ["health", (flow) => (serves(flow) ? flow.health_state : "")],
  ["version", (flow) => flow.installed_version_number ?? ""],
  ["installed_at", (flow) => flow.installed_at ?? ""],
  ["bypassed_checks", (flow) => flow.bypassed_checks.length],
  ["entry", (flow) => flow.entry?.host ?? ""],
  ["nodes", (flow) => flow.node_ids.length],
  ["clients", (flow) => flow.client_counts.total],
  ["clients_waiting", waitingClients],
  ["tags", (flow) => flow.tags.join(" ")],
  ["id", (flow) => flow.id],
];

export function saveFlowsCsv(flows: readonly Flow[]): void {
  saveCsv("flows.csv", flowsCsvFields, flows);
}
