import { useTranslation } from "react-i18next";
import type { GlyphKind } from "@/components/status/glyph";
import { Status } from "@/components/status/status";
import type { Binding } from "./api";

const glyphs: Record<Binding["dns_state"], GlyphKind> = {
  pending: "no-data",
  propagating: "waiting",
  ok: "healthy",
  mismatch: "degraded",
  error: "down",
};

/** Where a host name leads, as far as the panel has looked. */
export function DnsState({ state, inTable = false }: { state: Binding["dns_state"]; inTable?: boolean }) {
  const { t } = useTranslation("cdn-dns");
  return (
    <Status kind={glyphs[state]} inTable={inTable}>
      {t(`dnsState.${state}`)}
    </Status>
  );
}
