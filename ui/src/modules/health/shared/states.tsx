import { useTranslation } from "react-i18next";
import type { GlyphKind } from "@/components/status/glyph";
import { Status } from "@/components/status/status";
import type { State, Subject } from "./api";

export const stateGlyph: Record<State | "maintenance", GlyphKind> = {
  up: "healthy",
  degraded: "degraded",
  down: "down",
  unknown: "no-data",
  maintenance: "maintenance",
};

/** What a list says of a subject: nobody is alarmed by one in maintenance, whatever is found there. */
export function shownState({ state, maintenance }: Pick<Subject, "state" | "maintenance">): State | "maintenance" {
  return maintenance ? "maintenance" : state;
}

/** How something runs, as shape and word. */
export function HealthState({ state, inTable }: { state: State | "maintenance"; inTable?: boolean }) {
  const { t } = useTranslation("health");
  return (
    <Status kind={stateGlyph[state]} inTable={inTable}>
      {t(`state.${state}`)}
    </Status>
  );
}
