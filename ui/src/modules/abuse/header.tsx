import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useWriteBlock } from "@/api/access";
import { PageHeader } from "@/components/layout/page-header";
import { PageTabs } from "@/components/layout/tabs";
import classes from "./abuse.module.css";

/** Why changes are closed, for all writing acts of the module. */
export function useBlock(): string | undefined {
  return useWriteBlock({ needs: "abuse.manage", feature: "abuse" });
}

const tabs = [
  { key: "cases", to: "/abuse" },
  { key: "overview", to: "/abuse/overview" },
  { key: "signals", to: "/abuse/signals" },
  { key: "blocks", to: "/abuse/blocks" },
  { key: "lookups", to: "/abuse/lookups" },
  { key: "allowlist", to: "/abuse/allowlist" },
  { key: "agents", to: "/abuse/agents" },
] as const;

interface AbuseHeaderProps {
  current: (typeof tabs)[number]["key"];
  actions?: ReactNode;
  /** Nothing can be changed on the page, so that it does not say why. */
  readOnly?: boolean;
}

/** The head that the pages share. */
export function AbuseHeader({ current, actions, readOnly = false }: AbuseHeaderProps) {
  const { t } = useTranslation("abuse");
  const block = useBlock();
  return (
    <>
      <PageHeader
        title={t("title")}
        meta={t(`${current}.lead`)}
        actions={actions}
        closed={readOnly ? undefined : block}
      />
      <div className={classes.tabs}>
        <PageTabs
          label={t("title")}
          current={current}
          tabs={tabs.map(({ key, to }) => ({ key, label: t(`${key}.tab`), link: { to } }))}
        />
      </div>
    </>
  );
}
