import { useTranslation } from "react-i18next";
import { Card } from "@/components/layout/card";
import { Tag } from "@/components/status/status";
import { inTurn } from "../canary/in-turn";
import type { Plan } from "../shared/api";
import { NodeLink } from "../shared/node-link";
import classes from "./plan.module.css";

/** Who is worked on after whom. Servers start together where nothing depends on the order. */
export function OrderOfWork({ plan }: { plan: Plan }) {
  const { t } = useTranslation("flows");
  const steps = inTurn(plan.steps, plan.canary);
  const share = 100 / steps.length;
  return (
    <Card title={t("order.title")} right={t(plan.canary ? "plan.canaryFirst" : "plan.exitsFirst")}>
      <ol className={classes.order}>
        {steps.map((step, index) => (
          <li key={step.node_id}>
            <span className={classes.orderName}>
              <NodeLink id={step.node_id}>{step.node_name}</NodeLink>
            </span>
            <span className={classes.track} aria-hidden>
              <span
                className={classes.install}
                style={{ left: `${index * share}%`, width: `calc(${share * 0.66}% - 2px)` }}
              />
              <span
                className={classes.probe}
                style={{ left: `${index * share + share * 0.66}%`, width: `calc(${share * 0.34}% - 2px)` }}
              />
            </span>
            <Tag>{t(`role.${step.role}`)}</Tag>
          </li>
        ))}
      </ol>
      <p className={classes.orderLegend}>
        <span data-kind="install">{t("order.install")}</span>
        <span data-kind="probe">{t("order.probe")}</span>
        <span className={classes.orderNote}>{t("order.note")}</span>
      </p>
    </Card>
  );
}
