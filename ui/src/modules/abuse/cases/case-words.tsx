import { useTranslation } from "react-i18next";
import type { GlyphKind } from "@/components/status/glyph";
import { Status } from "@/components/status/status";
import { useFormat } from "@/text/use-format";
import classes from "./cases.module.css";
import type { CaseLine, CaseState, Step } from "./api";

const stateGlyphs: Record<CaseState, GlyphKind> = {
  open: "degraded",
  actioned: "maintenance",
  dismissed: "skipped",
  expired: "no-data",
};

/** Where a case stands, as shape and word. */
export function CaseStatus({ state, inTable }: { state: CaseState; inTable?: boolean }) {
  const { t } = useTranslation("abuse");
  return (
    <Status kind={stateGlyphs[state]} inTable={inTable}>
      {t(`case.state.${state}`)}
    </Status>
  );
}

/** How heavy a step is: what is beyond a limit is red, what is worth a warning amber. */
export const toneOfStep: Record<Step, "crit" | "warn" | "unk"> = {
  none: "unk",
  monitor: "unk",
  warn: "warn",
  soft_block: "warn",
  temp_block: "crit",
  hard_block: "crit",
};

/** A score as a number and as its share of what is possible. */
export function Score({ line: { score, most, recommended } }: { line: CaseLine }) {
  const { t } = useTranslation("abuse");
  const format = useFormat();
  return (
    <span className={classes.score} title={t("case.ofMost", { most: format.number(most) })}>
      <span className="strong num">{format.number(score)}</span>
      <span className={classes.meter} aria-hidden>
        <span data-tone={toneOfStep[recommended]} style={{ width: `${shareOf(score, most)}%` }} />
      </span>
    </span>
  );
}

/** Points as a share of the most that is possible, in per cent. */
export function shareOf(points: number, most: number): number {
  return most > 0 ? Math.min(100, Math.max(0, (points / most) * 100)) : 0;
}
