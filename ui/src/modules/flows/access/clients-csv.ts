import { saveCsv, type CsvField } from "@/components/table/csv";
import type { Client, Flow } from "../shared/api";
import { fileName } from "../shared/file-name";
import { clientState } from "./clients-search";

/** What a file tells of clients. Links are secrets and stay out of it. */
export function clientsCsvFields(flow: Flow): CsvField<Client>[] {
  return [
    ["name", (client) => client.label],
    ["state", (client) => clientState(client, flow)],
    ["added_at", (client) => client.created_at],
    ["revoked_at", (client) => client.revoked_at ?? ""],
    ["subscription_url", (client) => (client.has_public_link ? "yes" : "no")],
    ["id", (client) => client.id],
  ];
}

export function saveClientsCsv(flow: Flow, clients: readonly Client[]): void {
  saveCsv(`${fileName(flow.name)}-clients.csv`, clientsCsvFields(flow), clients);
}
