import { z } from "zod";
import type { Client, Flow } from "../shared/api";
import { serves } from "../shared/states";

/** What the address of the list of clients says. */
export const clientsSearch = z.object({
  q: z.coerce.string().optional().catch(undefined),
  sort: z.enum(["state", "label", "-label", "created_at", "-created_at"]).catch("state"),
});

export type ClientsSearch = z.output<typeof clientsSearch>;

/** What a client is worth now: it is active only where the installed version of a flow that serves knows it. */
export type ClientState =
  "waits" | "coming" | "elsewhere" | "leaves" | "leaving" | "works" | "stopped" | Exclude<Client["state"], "active">;

export function clientState(client: Client, flow: Pick<Flow, "installed_revision" | "enabled">): ClientState {
  const on = client.installed && serves(flow);
  if (client.state !== "active") return on ? (client.by_apply ? "leaves" : "leaving") : client.state;
  if (!client.installed && client.elsewhere) return "elsewhere";
  if (!client.installed) return client.by_apply ? "waits" : "coming";
  return serves(flow) ? "works" : "stopped";
}
