import { Switch } from "@mantine/core";
import { IconPlayerPlay } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useWriteBlock } from "@/api/access";
import { Action } from "@/components/action/action";
import { PageHeader } from "@/components/layout/page-header";
import { ProblemView } from "@/components/state/problem-view";
import { EmptyState } from "@/components/state/states";
import { useStartBulkApply } from "../shared/bulk-api";
import classes from "./bulk.module.css";
import { PlansTable } from "./plans-table";
import { applicable, usePlannedFlows } from "./use-planned-flows";

interface BulkPlansProps {
  ids: readonly string[];
  onBegun: (id: string) => void;
}

/** What applying these drafts would change. Those that are ready are applied together; the others say why not. */
export function BulkPlans({ ids, onBegun }: BulkPlansProps) {
  const { t } = useTranslation("flows");
  const edit = useWriteBlock({ needs: "connection_units.edit", feature: "flows" });
  const install = useWriteBlock({ needs: "connection_units.apply", feature: "flows" });
  const closed = edit ?? install;
  const planned = usePlannedFlows(ids, closed === undefined);
  const ready = planned.filter(applicable);
  const [stopOnFailure, setStopOnFailure] = useState(true);
  const start = useStartBulkApply();
  const begin = () =>
    start.mutate(
      {
        items: ready.map(({ id, plan }) => ({ flow_id: id, id: plan!.id, revision: plan!.revision })),
        stop_on_failure: stopOnFailure,
      },
      { onSuccess: ({ id }) => onBegun(id) },
    );
  if (ids.length === 0) return <EmptyState title={t("bulk.none")}>{t("bulk.noneText")}</EmptyState>;
  const waits = planned.some(({ status }) => status === "compiling" || status === "checking");
  const reason = closed ?? (waits ? t("plan.checkingWhy") : ready.length === 0 ? t("bulk.nothingReady") : undefined);
  return (
    <>
      <PageHeader
        title={t("bulk.title", { count: ids.length })}
        meta={t("bulk.meta", { ready: ready.length, count: ids.length })}
        closed={closed}
        actions={
          <Action kind="filled" icon={IconPlayerPlay} reason={reason} busy={start.isPending} onClick={begin}>
            {t("bulk.apply", { count: ready.length })}
          </Action>
        }
      />
      {start.error && <ProblemView error={start.error} tried={t("bulk.notBegun")} />}
      <Switch
        className={classes.switch}
        label={t("bulk.stopOnFailure")}
        description={t(stopOnFailure ? "bulk.oneByOne" : "bulk.allAtOnce")}
        checked={stopOnFailure}
        onChange={(event) => setStopOnFailure(event.currentTarget.checked)}
      />
      <PlansTable planned={planned} />
    </>
  );
}
