import { z } from "zod";
import { caseStates, steps, type CaseFilter } from "./api";

const text = z.coerce.string().max(128).optional().catch(undefined);

/** What the address of the list says. Without a state it shows what waits for somebody. */
export const casesSearch = z.object({
  q: text,
  state: z
    .enum([...caseStates, "all"])
    .optional()
    .catch(undefined),
  recommended: z.enum(steps).optional().catch(undefined),
  node_id: text,
  user_ref: text,
  score: z.coerce.number().int().min(1).max(999).optional().catch(undefined),
  sort: z.enum(["score", "-score", "opened_at", "-opened_at", "updated_at", "-updated_at"]).optional().catch(undefined),
});

export type CasesSearch = z.output<typeof casesSearch>;

/** What the panel is asked for. */
export function filterOf({ state = "open", score, q, recommended, node_id, user_ref }: CasesSearch): CaseFilter {
  return {
    ...(q && { q }),
    ...(state !== "all" && { state }),
    ...(recommended && { recommended }),
    ...(node_id && { node_id }),
    ...(user_ref && { user_ref }),
    ...(score && { min_score: score }),
  };
}
