import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Card } from "@/components/layout/card";
import { ProblemView } from "@/components/state/problem-view";
import { Skeleton, viewState } from "@/components/state/states";
import { useFormat } from "@/text/use-format";
import { dryRunQuery, type DryRun, type Repair } from "./api";
import classes from "./repairs.module.css";
import { actText } from "./repair-text";

/** What a repair without anybody's word would have done last week, in a sentence. */
export function useDryRunText(): (run: DryRun) => string {
  const { t } = useTranslation("health");
  return ({ days, actions, nodes, spared, cases }) => {
    const period = t("repair.would.days", { count: days });
    if (cases === 0) return t("repair.would.nothing", { period });
    const done = t("repair.would.acts", { count: actions, period, nodes: t("incident.nodes", { count: nodes }) });
    return spared > 0 ? `${done} ${t("repair.would.spared", { count: spared })}` : done;
  };
}

const shown = 8;

/** What would have been done to all nodes, by these limits. */
export function DryRunCard({ repair }: { repair: Repair }) {
  const { t } = useTranslation("health");
  const format = useFormat();
  const text = useDryRunText();
  const state = viewState(useQuery(dryRunQuery(undefined, repair)));
  return (
    <Card title={t("repair.would.title")} label={t("repair.would.title")}>
      {state.kind === "loading" && <Skeleton rows={2} />}
      {state.kind === "error" && <ProblemView error={state.error} onRetry={state.retry} tried={t("loadFailed")} />}
      {state.kind === "ready" && (
        <div className={classes.would}>
          <p>{text(state.data)}</p>
          <ul>
            {state.data.items.slice(0, shown).map((one) => (
              <li key={`${one.at} ${one.node_id} ${one.action}`}>
                <span>
                  {actText(t, one.action)} <b>{one.node_name}</b>
                </span>
                <span className="dim num">{format.moment(one.at)}</span>
                {one.reason && <span className="dim">{t(`repair.reason.${one.reason as "budget"}`)}</span>}
              </li>
            ))}
          </ul>
          <p className="dim">{t("repair.would.how")}</p>
        </div>
      )}
    </Card>
  );
}
