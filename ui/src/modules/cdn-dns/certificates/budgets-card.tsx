import { useTranslation } from "react-i18next";
import { Card } from "@/components/layout/card";
import { ProblemView } from "@/components/state/problem-view";
import { Skeleton, type ViewState } from "@/components/state/states";
import { RelativeTime } from "@/components/text/relative-time";
import { useFormat } from "@/text/use-format";
import classes from "../cdn-dns.module.css";
import type { Budget } from "./api";
import { authorityOf } from "./names";

/** From here on a budget is told apart: few orders are left in this week. */
const nearlySpent = 0.8;

/** How many new certificates the authority has issued in a week for each registered domain. */
export function BudgetsCard({ state }: { state: ViewState<Budget[]> }) {
  const { t } = useTranslation("cdn-dns");
  return (
    <div className={classes.below}>
      <Card title={t("budgets.title")} aside={t("budgets.lead")} flush>
        {state.kind === "loading" && <Skeleton rows={2} />}
        {state.kind === "error" && (
          <ProblemView error={state.error} tried={t("budgets.loadFailed")} onRetry={state.retry} />
        )}
        {state.kind === "ready" && state.data.length === 0 && <p className={classes.quiet}>{t("budgets.none")}</p>}
        {state.kind === "ready" && state.data.length > 0 && (
          <ul className={classes.budgets} aria-label={t("budgets.title")}>
            {state.data.map((budget) => (
              <BudgetRow key={`${budget.domain} ${budget.directory}`} budget={budget} />
            ))}
          </ul>
        )}
        <p className={classes.quiet}>{t("budgets.rule")}</p>
      </Card>
    </div>
  );
}

function BudgetRow({ budget: { domain, directory, issued, limit, free_at: freeAt } }: { budget: Budget }) {
  const { t } = useTranslation("cdn-dns");
  const format = useFormat();
  const { known, host } = authorityOf(directory);
  const level = issued >= limit ? "spent" : issued >= limit * nearlySpent ? "low" : "fine";
  return (
    <li className={classes.budget} data-level={level}>
      <span className={classes.budgetName}>
        <span className="strong">{domain}</span>
        <span className="dim">{known ? t(`authority.${known}`) : host}</span>
      </span>
      <span className={classes.bar} aria-hidden>
        <span style={{ width: `${Math.min(100, (issued / limit) * 100)}%` }} />
      </span>
      <span className={`${classes.count} num`}>
        {t("budgets.of", { issued: format.number(issued), limit: format.number(limit) })}
        {level !== "fine" && <span className={classes.level}> {t(`budgets.${level}`)}</span>}
      </span>
      <span className="dim">
        {freeAt && (
          <>
            {t("budgets.freeAt")} <RelativeTime at={freeAt} />
          </>
        )}
      </span>
    </li>
  );
}
