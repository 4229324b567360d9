import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { RelativeTime } from "@/components/text/relative-time";
import { useFormat } from "@/text/use-format";
import { CheckMark, useCellText } from "../shared/check-mark";
import { policyName } from "../shared/policy-name";
import { HealthState } from "../shared/states";
import { hintText } from "../shared/verdict";
import type { RepairAction } from "./api";
import { RepairActs } from "./repair-acts";
import classes from "./repairs.module.css";
import { actText, RepairState, resultText, whoText } from "./repair-text";

interface RepairRowProps {
  action: RepairAction;
  /** Where the row stands: what the page is about already is not said once more. */
  on: "log" | "node" | "incident";
}

/** One action: what, to whom, why, what came of it, and what a person can do about it. */
export function RepairRow({ action, on }: RepairRowProps) {
  const { t } = useTranslation("health");
  const told = [resultText(t, action), whoText(t, action)].filter(Boolean).join(" · ");
  return (
    <li className={classes.row} aria-label={`${actText(t, action.action)} ${action.node_name}`}>
      <div className={classes.head}>
        <RepairState action={action} />
        <span className={classes.name}>
          <b>{actText(t, action.action)}</b>
          {on !== "node" && (
            <>
              {" "}
              <Link to="/monitoring/nodes/$id" params={{ id: action.node_id }}>
                {action.node_name}
              </Link>
            </>
          )}
        </span>
        <span className={`${classes.when} dim num`}>
          <RelativeTime at={action.finished_at ?? action.started_at ?? action.created_at} />
        </span>
      </div>
      {told && <p className="soft">{told}</p>}
      <Effects action={action} />
      <div className={classes.foot}>
        <Why action={action} />
        <span className={classes.acts}>
          {on !== "incident" && action.incident_id && (
            <Link to="/monitoring/incidents/$id" params={{ id: action.incident_id }}>
              {t("incident.one")}
            </Link>
          )}
          <RepairActs action={action} />
        </span>
      </div>
    </li>
  );
}

/** What it changed, and to what. */
function Effects({ action: { effects } }: { action: RepairAction }) {
  const { t } = useTranslation("health");
  if (effects.length === 0) return null;
  return (
    <ul className="soft">
      {effects.map(({ kind, id, name, from, to }) => (
        <li key={`${kind} ${id}`}>{t(`repair.changed.${kind}`, { name, from, to })}</li>
      ))}
    </ul>
  );
}

/** What was seen when it came to that: the verdict in the summary, each check beneath. */
function Why({ action: { evidence, policy_name: policy } }: { action: RepairAction }) {
  const { t } = useTranslation("health");
  const format = useFormat();
  const words = useCellText();
  const hint = hintText(t, { reason: "", hint: evidence.hint });
  return (
    <details className={classes.why}>
      <summary>{hint ? t("repair.because", { hint }) : t("evidence.title")}</summary>
      <ul>
        <li className={classes.seen}>
          <HealthState state={evidence.state} />
          <span className="soft">{t("repair.since", { moment: format.moment(evidence.since) })}</span>
        </li>
        {evidence.checks.map((cell) => (
          <li key={cell.check} className={classes.seen}>
            <span>
              <CheckMark cell={cell} /> {t(`checkLong.${cell.check}`)}
            </span>
            <span className="soft">{words(cell)}</span>
          </li>
        ))}
        {policy && <li className="dim">{t("repair.byPolicy", { name: policyName(t, policy) })}</li>}
      </ul>
    </details>
  );
}
