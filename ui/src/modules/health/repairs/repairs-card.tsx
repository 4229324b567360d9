import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Card } from "@/components/layout/card";
import { repairsOfQuery, type RepairAction } from "./api";
import { RepairRow } from "./repair-row";

/** What self-repair did about one node lately, with the way to all of it. */
export function NodeRepairsCard({ nodeId }: { nodeId: string }) {
  const { t } = useTranslation("health");
  const page = useQuery(repairsOfQuery(nodeId)).data;
  if (!page || page.items.length === 0) return null;
  return (
    <Card
      title={t("repairs.tab")}
      label={t("repairs.tab")}
      right={
        <Link to="/monitoring/repairs" search={{ node: nodeId }}>
          {t("repair.all", { count: page.total })}
        </Link>
      }
      flush
    >
      <RepairRows actions={page.items} on="node" />
    </Card>
  );
}

/** What self-repair did about an incident, the newest first. */
export function IncidentRepairsCard({ actions }: { actions: RepairAction[] }) {
  const { t } = useTranslation("health");
  if (actions.length === 0) return null;
  return (
    <Card title={t("repairs.tab")} label={t("repairs.tab")} flush>
      <RepairRows actions={actions.toReversed()} on="incident" />
    </Card>
  );
}

export function RepairRows({ actions, on }: { actions: RepairAction[]; on: "log" | "node" | "incident" }) {
  const { t } = useTranslation("health");
  return (
    <ul aria-label={t("repairs.tab")}>
      {actions.map((action) => (
        <RepairRow key={action.id} action={action} on={on} />
      ))}
    </ul>
  );
}
