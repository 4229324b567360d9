import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useAccess } from "@/api/access";
import { PageHeader } from "@/components/layout/page-header";
import { AgentsPart } from "./agents-part";
import { panelQuery } from "./api";
import { PanelPart } from "./panel-part";
import classes from "./updates.module.css";

/** The two halves have keys of their own; each is shown to whoever may read it. */
export default function UpdatesPage() {
  const { t } = useTranslation("updates");
  const { can } = useAccess();
  const mayPanel = can("settings.manage");
  const panel = useQuery({ ...panelQuery, enabled: mayPanel }).data;
  return (
    <>
      <PageHeader title={t("title")} meta={panel ? t("lead", { version: panel.current }) : t("leadShort")} />
      <div className={classes.stack}>
        {mayPanel && <PanelPart />}
        {can("nodes.view") && <AgentsPart />}
      </div>
    </>
  );
}
