import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useWriteBlock } from "@/api/access";
import { Action } from "@/components/action/action";
import { Card, Row, Rows } from "@/components/layout/card";
import { Skeleton, type ViewState } from "@/components/state/states";
import { ProblemView } from "@/components/state/problem-view";
import { toastProblem } from "@/components/state/toast";
import { compilePlan, type Catalogue, type Outdated } from "./api";
import { CatalogueForm } from "./catalogue-form";
import classes from "./policies.module.css";

interface CatalogueTabProps {
  state: ViewState<Catalogue>;
  outdated: Outdated | undefined;
  block: string | undefined;
}

/** The newest catalogue, and the flows that run an older snapshot of it. */
export function CatalogueTab({ state, outdated, block }: CatalogueTabProps) {
  const { t } = useTranslation("policies");
  if (state.kind === "loading") return <Skeleton rows={6} />;
  if (state.kind === "error") return <ProblemView error={state.error} onRetry={state.retry} tried={t("loadFailed")} />;
  return (
    <div className={classes.stack}>
      {outdated && outdated.items.length > 0 && <OutdatedCard outdated={outdated} />}
      <CatalogueForm catalogue={state.data} block={block} />
    </div>
  );
}

/** Each flow that runs an older snapshot, with the way to the plan that brings the newest one. */
export function OutdatedCard({ outdated }: { outdated: Outdated }) {
  const { t } = useTranslation("policies");
  return (
    <Card title={t("outdated.title", { count: outdated.items.length })} aside={t("outdated.text")} flush>
      <Rows label={t("outdated.title", { count: outdated.items.length })}>
        {outdated.items.map((flow) => (
          <Row key={flow.flow_id} className={classes.flow}>
            <div>
              <div>
                <Link to={`/flows/${flow.flow_id}`}>{flow.flow_name}</Link>
              </div>
              <div className="soft">
                {t("outdated.flow", {
                  runs: flow.catalogue_version,
                  newest: outdated.newest,
                  sets: flow.changed_sets.join(", "),
                })}
              </div>
            </div>
            <ReviewPlan id={flow.flow_id} name={flow.flow_name} />
          </Row>
        ))}
      </Rows>
    </Card>
  );
}

function ReviewPlan({ id, name }: { id: string; name: string }) {
  const { t } = useTranslation("policies");
  const navigate = useNavigate();
  const [busy, setBusy] = useState(false);
  const edit = useWriteBlock({ needs: "connection_units.edit", feature: "flows" });
  const install = useWriteBlock({ needs: "connection_units.apply", feature: "flows" });
  const review = async () => {
    setBusy(true);
    try {
      const plan = await compilePlan(id);
      void navigate({ to: `/flows/${id}/plans/${plan.id}` });
    } catch (error) {
      toastProblem(t("outdated.failed", { name }), error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Action
      busy={busy}
      reason={edit ?? install}
      onClick={() => void review()}
      aria-label={t("outdated.reviewNamed", { name })}
    >
      {t("outdated.review")}
    </Action>
  );
}
