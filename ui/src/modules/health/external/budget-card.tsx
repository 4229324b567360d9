import { useTranslation } from "react-i18next";
import { Card } from "@/components/layout/card";
import { Progress } from "@/components/chart/spark";
import type { ExternalSummary } from "./api";
import classes from "./external.module.css";
import { useRoubles } from "./money";

/** What was spent, what may still be, and what is left at the service. */
export function BudgetCard({ summary: { budget, balance, low_balance: low } }: { summary: ExternalSummary }) {
  const { t } = useTranslation("health");
  const roubles = useRoubles();
  const period = (key: "today" | "month") => {
    const { spent, cap } = budget[key];
    const percent = cap === 0 ? 100 : Math.min(100, (100 * spent) / cap);
    return (
      <div className={classes.period}>
        <span>
          {t(`external.${key}`)}
          <span className="soft">{t("external.ofCap", { spent: roubles(spent), cap: roubles(cap) })}</span>
        </span>
        <Progress
          percent={percent}
          label={t(`external.${key}`)}
          {...(percent >= 100 ? { tone: "warn" as const } : {})}
        />
      </div>
    );
  };
  return (
    <Card title={t("external.money")} label={t("external.money")}>
      <div className={classes.money}>
        {period("today")}
        {period("month")}
        {balance !== null && (
          <p className={low ? classes.low : "soft"}>
            {t(low ? "external.balanceLow" : "external.balance", { balance: roubles(balance) })}
          </p>
        )}
      </div>
    </Card>
  );
}
