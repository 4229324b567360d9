import { useTranslation } from "react-i18next";
import type { components } from "@/api/schema.gen";
import type { GlyphKind } from "@/components/status/glyph";
import { Status } from "@/components/status/status";
import { useFormat } from "@/text/use-format";

export type SignalKind = components["schemas"]["ViewsSignal"]["kind"];

/** What a user seems to do, in the order of filters. */
export const signalKinds = [
  "torrent",
  "port_scan",
  "smtp_spam",
  "brute_force",
  "ddos_out",
  "phishing_dest",
  "blocked_geo",
  "high_rate",
  "too_many_sources",
] as const satisfies readonly SignalKind[];

/** How sure a finding is, as a word. */
export type Certainty = "high" | "medium" | "low";

const likely = 0.5;
const sure = 0.8;

export function certaintyOf(confidence: number): Certainty {
  if (confidence >= sure) return "high";
  return confidence >= likely ? "medium" : "low";
}

const glyphs: Record<Certainty, GlyphKind> = { high: "down", medium: "degraded", low: "no-data" };

/** How sure a finding is; a number alone says little. */
export function Confidence({ value, inTable }: { value: number; inTable?: boolean }) {
  const { t } = useTranslation("abuse");
  const format = useFormat();
  const word = certaintyOf(value);
  return (
    <Status kind={glyphs[word]} inTable={inTable} quiet>
      {t(`certainty.${word}`)} <span className="dim num">{format.percent(value * 100)}</span>
    </Status>
  );
}
