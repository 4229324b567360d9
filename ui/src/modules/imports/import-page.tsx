import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useWriteBlock } from "@/api/access";
import { PageHeader } from "@/components/layout/page-header";
import { ImportFlows } from "./import-flows";

/** Brings flows in from other programs and panels; one flow opens in the editor at once. */
export default function ImportPage() {
  const { t } = useTranslation("imports");
  const navigate = useNavigate();
  const closed = useWriteBlock({ needs: "connection_units.edit", feature: "flows" });
  return (
    <>
      <PageHeader title={t("title")} meta={t("lead")} closed={closed} />
      <ImportFlows
        closed={closed}
        onTaken={(made) => made.length === 1 && void navigate({ to: `/flows/${made[0]!.id}` })}
      />
    </>
  );
}
