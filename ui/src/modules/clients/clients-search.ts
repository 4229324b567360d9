import { z } from "zod";

/** States of clients, in the order of the filter. */
export const clientStates = ["active", "disabled", "expired", "spent", "revoked"] as const;
const yes = z.coerce
  .string()
  .pipe(z.literal("true"))
  .transform((): true => true)
  .optional()
  .catch(undefined);
const text = z.coerce.string().max(100).optional().catch(undefined);

/** What the address of the list says. */
export const clientsSearch = z.object({
  q: text,
  tag: text,
  flow_id: text,
  state: z.enum(clientStates).optional().catch(undefined),
  online: yes,
  not_begun: yes,
  ends_within: z.coerce.number().int().min(1).max(3650).optional().catch(undefined),
  sort: z
    .enum([
      "label",
      "-label",
      "created_at",
      "-created_at",
      "expires_at",
      "-expires_at",
      "used",
      "-used",
      "last_seen_at",
      "-last_seen_at",
    ])
    .optional()
    .catch(undefined),
});

export type ClientsSearch = z.output<typeof clientsSearch>;

/** Takes everything off that narrows the list; its order stays. */
export const unfiltered = {
  q: undefined,
  state: undefined,
  tag: undefined,
  flow_id: undefined,
  online: undefined,
  not_begun: undefined,
  ends_within: undefined,
};

/** What the list is narrowed down to, whatever its order. */
export const narrowing = ({ sort: _, ...rest }: ClientsSearch) => rest;

export const isFiltered = (place: ClientsSearch): boolean =>
  Object.values(narrowing(place)).some((value) => value !== undefined && value !== "");
