import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useWriteBlock } from "@/api/access";
import { PageHeader } from "@/components/layout/page-header";
import { PageTabs } from "@/components/layout/tabs";
import classes from "./health.module.css";
import { proposedQuery } from "./repairs/api";

/** Why changes are closed, for all writing acts of the module. */
export function useBlock(): string | undefined {
  return useWriteBlock({ needs: "health.manage", feature: "health" });
}

const tabs = [
  { key: "nodes", to: "/monitoring" },
  { key: "flows", to: "/monitoring/flows" },
  { key: "incidents", to: "/monitoring/incidents" },
  { key: "repairs", to: "/monitoring/repairs" },
  { key: "policies", to: "/monitoring/policies" },
] as const;

interface HealthHeaderProps {
  current: (typeof tabs)[number]["key"];
  meta?: ReactNode;
  closed?: string;
  actions?: ReactNode;
}

/** The head that the pages share. */
export function HealthHeader({ current, meta, closed, actions }: HealthHeaderProps) {
  const { t } = useTranslation("health");
  const waiting = useQuery(proposedQuery).data?.total || undefined;
  return (
    <>
      <PageHeader title={t("title")} meta={meta ?? t(`${current}.lead`)} actions={actions} closed={closed} />
      <div className={classes.tabs}>
        <PageTabs
          label={t("title")}
          current={current}
          tabs={tabs.map(({ key, to }) => ({
            key,
            label: t(`${key}.tab`),
            count: key === "repairs" ? waiting : undefined,
            link: { to },
          }))}
        />
      </div>
    </>
  );
}
