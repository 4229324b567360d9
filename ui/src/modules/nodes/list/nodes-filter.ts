import { z } from "zod";

/** What the address of the list says: which nodes, in which order. */
export const nodesFilter = z.object({
  state: z.enum(["pending", "online", "degraded", "offline", "maintenance", "disabled"]).optional().catch(undefined),
  tag: z.string().optional().catch(undefined),
  role: z.enum(["entry", "transit", "exit", "edge"]).optional().catch(undefined),
  q: z.coerce.string().optional().catch(undefined),
  sort: z.string().optional().catch(undefined),
});

export type NodesFilter = z.output<typeof nodesFilter>;
