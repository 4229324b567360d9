import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { usePageTitle } from "@/components/layout/page-title";
import { ProblemView } from "@/components/state/problem-view";
import { Skeleton } from "@/components/state/states";
import { applyQuery, flowQuery } from "../shared/api";
import { ApplyView } from "./apply-view";

/** One installation, live until its end; it goes on when the page is left. */
export default function ApplyPage() {
  const { t } = useTranslation("flows");
  const { id = "", applyId = "" } = useParams({ strict: false }) as { id?: string; applyId?: string };
  const flow = useQuery(flowQuery(id));
  const apply = useQuery(applyQuery(id, applyId));
  usePageTitle(
    apply.data && t(`apply.page.${apply.data.kind}`, { revision: apply.data.revision }),
    flow.data && { 1: flow.data.name },
  );
  const failed = apply.error ?? (flow.data ? null : flow.error);
  if (!apply.data)
    return failed ? (
      <ProblemView
        error={failed}
        tried={t("apply.failedLoad")}
        onRetry={() => void Promise.all([flow.refetch(), apply.refetch()])}
      />
    ) : (
      <Skeleton rows={8} />
    );
  return <ApplyView flow={flow.data} apply={apply.data} />;
}
