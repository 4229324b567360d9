import { useTranslation } from "react-i18next";
import { PageHeader } from "@/components/page-header";
import { PageTabs } from "@/components/tabs";
import classes from "./security.module.css";

/** The head that the three pages share. */
export function SecurityHeader({ current, lead }: { current: "factors" | "password" | "sessions"; lead: string }) {
  const { t } = useTranslation("security");
  return (
    <>
      <PageHeader title={t(`${current}.title`)} meta={lead} />
      <div className={classes.tabs}>
        <PageTabs
          label={t("title")}
          current={current}
          tabs={[
            { key: "factors", label: t("factors.tab"), link: { to: "/account/security" } },
            { key: "password", label: t("password.tab"), link: { to: "/account/password" } },
            { key: "sessions", label: t("sessions.tab"), link: { to: "/account/sessions" } },
          ]}
        />
      </div>
    </>
  );
}
