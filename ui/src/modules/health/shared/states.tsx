import { useTranslation } from "react-i18next";
import type { GlyphKind } from "@/components/status/glyph";
import { Status } from "@/components/status/status";
import type { State } from "./api";

export const stateGlyph: Record<State | "maintenance", GlyphKind> = {
  up: "healthy",
  degraded: "degraded",
  down: "down",
  unknown: "no-data",
  maintenance: "maintenance",
};

/** How something runs, as shape and word. */
export function HealthState({ state, inTable }: { state: State | "maintenance"; inTable?: boolean }) {
  const { t } = useTranslation("health");
  return (
    <Status kind={stateGlyph[state]} inTable={inTable}>
      {t(`state.${state}`)}
    </Status>
  );
}
