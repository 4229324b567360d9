import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useWriteBlock } from "@/api/access";
import { PageHeader } from "@/components/layout/page-header";
import { PageTabs } from "@/components/layout/tabs";
import classes from "./notifications.module.css";

/** Why changes are closed, for all writing acts of the module. */
export function useBlock(): string | undefined {
  return useWriteBlock({ needs: "notifications.manage", feature: "notifications" });
}

/** The head that the four pages share. */
export function NotificationsHeader({
  current,
  actions,
}: {
  current: "channels" | "rules" | "deliveries" | "settings";
  actions?: ReactNode;
}) {
  const { t } = useTranslation("notifications");
  return (
    <>
      <PageHeader title={t("title")} meta={t(`${current}.lead`)} actions={actions} closed={useBlock()} />
      <div className={classes.tabs}>
        <PageTabs
          label={t("title")}
          current={current}
          tabs={[
            { key: "channels", label: t("channels.tab"), link: { to: "/notifications" } },
            { key: "rules", label: t("rules.tab"), link: { to: "/notifications/rules" } },
            { key: "deliveries", label: t("deliveries.tab"), link: { to: "/notifications/deliveries" } },
            { key: "settings", label: t("settings.tab"), link: { to: "/notifications/settings" } },
          ]}
        />
      </div>
    </>
  );
}
