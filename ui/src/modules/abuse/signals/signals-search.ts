import { z } from "zod";
import { signalKinds } from "../shared/kinds";

export const detectors = ["xray_routing", "ndpi", "netflow", "rule"] as const;

/** How far back the list looks, in hours. */
export const spans = { day: 24, week: 168, month: 720, all: 2160 } as const;
export type Span = keyof typeof spans;
export const spanNames = Object.keys(spans) as [Span, ...Span[]];

const text = z.coerce.string().max(128).optional().catch(undefined);

/** What the address of the list says. */
export const signalsSearch = z.object({
  kind: z.enum(signalKinds).optional().catch(undefined),
  user_ref: text,
  node_id: text,
  flow_id: text,
  detected_by: z.enum(detectors).optional().catch(undefined),
  certain: z.enum(["medium", "high"]).optional().catch(undefined),
  span: z.enum(spanNames).optional().catch(undefined),
  allowed: z.enum(["yes"]).optional().catch(undefined),
  sort: z.enum(["last_at", "-last_at", "count", "-count", "confidence", "-confidence"]).optional().catch(undefined),
});

export type SignalsSearch = z.output<typeof signalsSearch>;

const hour = 3_600_000;
const least = { medium: 0.5, high: 0.8 } as const;

/**
 * What the panel is asked for. The beginning is a whole hour, so that drawing the page again asks for the same.
 */
export function filterOf({ certain, span, allowed, ...rest }: SignalsSearch, now: number) {
  const from = span && new Date(Math.floor(now / hour) * hour - spans[span] * hour).toISOString();
  return {
    ...rest,
    sort: rest.sort ?? "-last_at",
    ...(certain && { min_confidence: least[certain] }),
    ...(from && { from }),
    ...(allowed && { allowed: true }),
  };
}
