import { useTranslation } from "react-i18next";
import type { GlyphKind } from "@/components/status/glyph";
import { Status } from "@/components/status/status";
import { RelativeTime } from "@/components/text/relative-time";
import type { Client, ClientState } from "./api";

const glyphs: Record<ClientState, GlyphKind> = {
  active: "in-sync",
  disabled: "skipped",
  expired: "drifted",
  spent: "drifted",
  revoked: "skipped",
};

export function State({ state, inTable }: { state: ClientState; inTable?: boolean }) {
  const { t } = useTranslation("clients");
  return (
    <Status kind={glyphs[state]} inTable={inTable}>
      {t(`state.${state}`)}
    </Status>
  );
}

/** Until when a client may use its flows; in short where there is little room. */
export function End({ client: { expires_at: at, lasts_days: days, last_seen_at: seen }, short }: EndProps) {
  const { t } = useTranslation("clients");
  if (at) return <RelativeTime at={at} />;
  if (days === null) return <span className="dim">{t("never")}</span>;
  const whole = t(seen ? "lasts.next" : "lasts.first", { count: days });
  return <span title={short ? whole : undefined}>{short ? t("lasts.short", { days }) : whole}</span>;
}

interface EndProps {
  client: Client;
  short?: boolean;
}
