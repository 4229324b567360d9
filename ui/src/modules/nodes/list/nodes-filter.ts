import { z } from "zod";

const text = z.coerce.string().optional().catch(undefined);

/** What the address of the list says: which nodes, in which order. */
export const nodesFilter = z.object({
  state: z
    .enum(["attention", "pending", "online", "degraded", "offline", "maintenance", "disabled"])
    .optional()
    .catch(undefined),
  tag: text,
  role: z.enum(["entry", "transit", "exit", "edge"]).optional().catch(undefined),
  country: text,
  q: text,
  sort: text,
});

export type NodesFilter = z.output<typeof nodesFilter>;

/** Nothing of it set: the whole list in its usual order. */
export const unfiltered: Record<keyof NodesFilter, undefined> = {
  state: undefined,
  tag: undefined,
  role: undefined,
  country: undefined,
  q: undefined,
  sort: undefined,
};
