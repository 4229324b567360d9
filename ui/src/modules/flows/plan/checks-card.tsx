import { useTranslation } from "react-i18next";
import { Card } from "@/components/layout/card";
import { Glyph, Spinner, type GlyphKind } from "@/components/status/glyph";
import { useFormat } from "@/text/use-format";
import type { Check, Plan } from "../shared/api";
import { useCheckWords } from "../shared/check-words";
import { NodeLink } from "../shared/node-link";
import { useSaid } from "../shared/said";
import classes from "./plan.module.css";

export const checkGlyph: Record<Check["status"], GlyphKind> = {
  confirmed: "healthy",
  unconfirmed: "degraded",
  failed: "down",
};

/** What the servers were asked and what they showed. Only evidence confirms. */
export function ChecksCard({ plan, checking }: { plan: Plan; checking: boolean }) {
  const { t } = useTranslation("flows");
  const counts = (["confirmed", "unconfirmed", "failed"] as const)
    .map((status) => [status, plan.readiness.filter((check) => stateOf(check, checking) === status).length] as const)
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
            <CheckRow key={check.key} check={check} checking={checking} />
          ))}
        </ul>
      )}
    </Card>
  );
}

/** A check that no node has answered is neither unconfirmed nor failed while the nodes are still asked. */
function stateOf(check: Check, checking: boolean): Check["status"] | "waiting" {
  return checking && check.finding.code === "not_observed" ? "waiting" : check.status;
}

function CheckRow({ check, checking }: { check: Check; checking: boolean }) {
  const { t } = useTranslation("flows");
  const format = useFormat();
  const words = useCheckWords();
  const said = useSaid();
  const state = stateOf(check, checking);
  return (
    <li className={classes.check} data-status={state}>
      {state === "waiting" ? <Spinner size={12} /> : <Glyph kind={checkGlyph[state]} />}
      <span className={classes.checkWords}>
        <span>{words(check)}</span>
        <span className="dim">
          <span className={classes.checkState}>{t(`checks.${state}`)}</span>
          {`, ${t(`checks.group.${check.group}`)}`}
          {state !== "waiting" && said(check.finding) && `. ${said(check.finding)}`}
          {state === "failed" && check.node_id && (
            <>
              {". "}
              <NodeLink id={check.node_id}>{check.node_name}</NodeLink>
            </>
          )}
        </span>
      </span>
      <span className={`dim num ${classes.checkTime}`}>{check.observed_at ? format.clock(check.observed_at) : ""}</span>
    </li>
  );
}
