import { useTranslation } from "react-i18next";
import { Glyph } from "@/components/status/glyph";
import { useFormat } from "@/text/use-format";
import type { Check, CheckCell, Subject } from "./api";
import classes from "./check-mark.module.css";
import { stateGlyph } from "./states";

/** The layers from the outside to the inside; a matrix has them as columns. */
export const layers: Check[] = [
  "heartbeat",
  "core",
  "tcp",
  "udp",
  "tls",
  "tunnel",
  "cert_expiry",
  "http",
  "dns",
  "metric",
];

/** The layers that some of these subjects have. */
export function layersOf(subjects: readonly Pick<Subject, "checks">[]): Check[] {
  const found = new Set(subjects.flatMap(({ checks }) => checks.map(({ check }) => check)));
  return layers.filter((layer) => found.has(layer));
}

/** What all places say of one layer. What is well is a dot; only what is not has a ground and a number. */
export function CheckMark({ cell }: { cell: CheckCell | undefined }) {
  const { t } = useTranslation("health");
  const words = useCellText();
  if (!cell)
    return (
      <span className={classes.mark}>
        <span className="dim" aria-hidden>
          –
        </span>
        <span className="visually-hidden">{t("notUsed")}</span>
      </span>
    );
  const bad = cell.state === "degraded" || cell.state === "down";
  return (
    <span className={classes.mark} data-state={cell.state} title={words(cell)}>
      <Glyph kind={stateGlyph[cell.state]} label={t(`state.${cell.state}`)} />
      {bad && <span className="num">{t("ofAll", { bad: cell.down, all: cell.up + cell.down + cell.unknown })}</span>}
    </span>
  );
}

/** The cell in a sentence: state, who says so, why, and how long an answer takes. */
export function useCellText(): (cell: CheckCell) => string {
  const { t } = useTranslation("health");
  const format = useFormat();
  return (cell) => {
    const all = cell.up + cell.down + cell.unknown;
    const said = cell.down > 0 ? t("ofAll", { bad: cell.down, all }) : "";
    const why = cell.reason ? t(`checkReason.${cell.reason as "timeout"}`, { defaultValue: cell.reason }) : "";
    const took = cell.latency_ms === null ? "" : t("ms", { value: format.number(cell.latency_ms) });
    return [t(`state.${cell.state}`), said, why, took].filter(Boolean).join(", ");
  };
}
