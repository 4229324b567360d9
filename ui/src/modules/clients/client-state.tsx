import { useTranslation } from "react-i18next";
import type { GlyphKind } from "@/components/status/glyph";
import { Status } from "@/components/status/status";
import type { ClientState } from "./api";

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
