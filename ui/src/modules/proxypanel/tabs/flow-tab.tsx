import { IconPlugConnected } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Card } from "@/components/layout/card";
import { ProblemView } from "@/components/state/problem-view";
import { EmptyState, Skeleton } from "@/components/state/states";
import { Status } from "@/components/status/status";
import classes from "../proxypanel.module.css";
import { useHostsOf, useServing } from "./serving";
import { ServingRows } from "./serving-rows";

/** On the page of a flow: the nodes of proxy panels that serve its entries, and the hosts that users are shown. */
export default function FlowTab({ id }: { id: string }) {
  const { t } = useTranslation("proxypanel");
  const { data, error, retry } = useServing(({ flow_ids: flows }) => flows.includes(id));
  const connections = [...new Set(data?.map(({ connection }) => connection.id))];
  const hosts = useHostsOf(id, connections);
  if (!data && error) return <ProblemView error={error} onRetry={retry} tried={t("panel.loadFailed")} />;
  if (!data) return <Skeleton rows={3} />;
  if (data.length === 0)
    return (
      <EmptyState icon={IconPlugConnected} title={t("serving.noFlow")}>
        {t("serving.noFlowText")}
      </EmptyState>
    );
  return (
    <Card title={t("title")} label={t("title")} flush>
      <ServingRows
        serving={data}
        about={({ connection }) => (
          <span className={classes.phone}>
            {hosts
              .filter(({ connectionId }) => connectionId === connection.id)
              .map(({ host }) => (
                <Status key={host.id} kind={host.disabled || host.hidden ? "skipped" : "healthy"}>
                  {t("serving.host", { name: host.name, address: `${host.address}:${host.port}` })}
                </Status>
              ))}
          </span>
        )}
      />
    </Card>
  );
}
