import { useTranslation } from "react-i18next";
import { PageHeader } from "@/components/layout/page-header";
import { PageTabs } from "@/components/layout/tabs";
import classes from "./security.module.css";

/** The head that the pages share. */
export function SecurityHeader({
  current,
  lead,
}: {
  current: "factors" | "password" | "sessions" | "tokens";
  lead: string;
}) {
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
            { key: "tokens", label: t("tokens.tab"), link: { to: "/account/tokens" } },
          ]}
        />
      </div>
    </>
  );
}
