import { useTranslation } from "react-i18next";
import { Card } from "@/components/layout/card";
import { Glyph, type GlyphKind } from "@/components/status/glyph";
import { useFormat } from "@/text/use-format";
import type { Check, Plan } from "../shared/api";
import { useCheckWords } from "../shared/check-words";
import classes from "./plan.module.css";

export const checkGlyph: Record<Check["status"], GlyphKind> = {
  confirmed: "healthy",
  unconfirmed: "degraded",
  failed: "down",
};

/** What the servers were asked and what they showed. Only evidence confirms. */
export function ChecksCard({ plan }: { plan: Plan }) {
  const { t } = useTranslation("flows");
  const format = useFormat();
  const words = useCheckWords();
  const counts = (["confirmed", "unconfirmed", "failed"] as const)
    .map((status) => [status, plan.readiness.filter((check) => check.status === status).length] as const)
    .filter(([, count]) => count > 0);
  return (
    <Card
      flush
      title={t("checks.title")}
      aside={counts.map(([status, count]) => t(`checks.count.${status}`, { count })).join(", ")}
    >
      {plan.readiness.length === 0 ? (
        <p className={classes.noChecks}>{t("checks.none")}</p>
      ) : (
        <ul aria-label={t("checks.title")}>
          {plan.readiness.map((check) => (
            <li key={check.key} className={classes.check} data-status={check.status}>
              <Glyph kind={checkGlyph[check.status]} />
              <span className={classes.checkState}>{t(`checks.${check.status}`)}</span>
              <span className={classes.checkWords}>
                <span>{words(check)}</span>
                <span className="dim">
                  {[t(`checks.group.${check.group}`), check.observed_at ? check.evidence : t("checks.waiting")]
                    .filter(Boolean)
                    .join(", ")}
                </span>
              </span>
              <span className={`dim num ${classes.checkTime}`}>
                {check.observed_at ? format.clock(check.observed_at) : ""}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
