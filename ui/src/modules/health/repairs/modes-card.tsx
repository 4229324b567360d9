import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Card } from "@/components/layout/card";
import { policiesQuery } from "../shared/policies";
import { policyName } from "../shared/policy-name";
import { DryRunCard } from "./dry-run-card";
import classes from "./repairs.module.css";

/** How far self-repair goes by each policy, and what the widest one would have done. */
export function RepairAside() {
  const { t } = useTranslation("health");
  const policies = useInfiniteQuery(policiesQuery).data?.items ?? [];
  const widest = policies.find((policy) => policy.default);
  return (
    <>
      <Card
        title={t("repair.modes")}
        label={t("repair.modes")}
        right={<Link to="/monitoring/policies">{t("policies.tab")}</Link>}
      >
        <ul className={classes.would}>
          {policies
            .filter(({ enabled }) => enabled)
            .map(({ id, name, repair }) => (
              <li key={id}>
                <span>{policyName(t, name)}</span>
                <span className="soft">
                  {t(repair.actions.length === 0 ? "repair.mode.never" : `repair.mode.${repair.mode}`)}
                </span>
              </li>
            ))}
        </ul>
      </Card>
      {widest && widest.repair.actions.length > 0 && <DryRunCard repair={widest.repair} />}
    </>
  );
}
