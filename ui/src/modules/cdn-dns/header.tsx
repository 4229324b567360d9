import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useAccess, useWriteBlock } from "@/api/access";
import { PageHeader } from "@/components/layout/page-header";
import { PageTabs } from "@/components/layout/tabs";
import classes from "./cdn-dns.module.css";

/** Why changes are closed, for all writing acts of the module. */
export function useBlock(): string | undefined {
  return useWriteBlock({ needs: "dns.manage", feature: "cdndns" });
}

const tabs = [
  { key: "bindings", to: "/domains", needs: "nodes.view" },
  { key: "certificates", to: "/domains/certificates", needs: "dns.view" },
  { key: "integrations", to: "/domains/integrations", needs: "dns.view" },
  { key: "settings", to: "/domains/settings", needs: "dns.view" },
] as const;

/** The head that the pages share; a page that the account may not read has no tab. */
export function DomainsHeader({
  current,
  closed,
  actions,
}: {
  current: (typeof tabs)[number]["key"];
  closed?: string;
  actions?: ReactNode;
}) {
  const { t } = useTranslation("cdn-dns");
  const { can } = useAccess();
  return (
    <>
      <PageHeader title={t("title")} meta={t(`${current}.lead`)} actions={actions} closed={closed} />
      <div className={classes.tabs}>
        <PageTabs
          label={t("title")}
          current={current}
          tabs={tabs
            .filter(({ needs }) => can(needs))
            .map(({ key, to }) => ({ key, label: t(`${key}.tab`), link: { to } }))}
        />
      </div>
    </>
  );
}
