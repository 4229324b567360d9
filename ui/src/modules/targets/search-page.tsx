import { useQuery } from "@tanstack/react-query";
import { IconPlayerStop } from "@tabler/icons-react";
import { useParams } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useWriteBlock } from "@/api/access";
import { Action } from "@/components/action/action";
import { Meta, PageHeader } from "@/components/layout/page-header";
import { ProblemView } from "@/components/state/problem-view";
import { Skeleton } from "@/components/state/states";
import { toastProblem } from "@/components/state/toast";
import { RelativeTime } from "@/components/text/relative-time";
import { searchQuery, useCancel } from "./api";
import { Found } from "./found";
import { SearchState } from "./searches-view";

/** One search: how far it is and what it has found. */
export default function SearchPage() {
  const { t } = useTranslation("targets");
  const { id = "" } = useParams({ strict: false });
  const query = useQuery(searchQuery(id));
  const cancel = useCancel();
  const block = useWriteBlock({ needs: "connection_units.edit", feature: "flows" });
  const search = query.data;
  if (!search) {
    return query.error ? (
      <ProblemView error={query.error} onRetry={() => void query.refetch()} tried={t("loadFailed")} />
    ) : (
      <Skeleton rows={8} />
    );
  }
  const stop = (
    <Action
      icon={IconPlayerStop}
      reason={block}
      busy={cancel.isPending}
      onClick={() => cancel.mutate(id, { onError: (error) => toastProblem(t("stopFailed"), error) })}
    >
      {t("stop")}
    </Action>
  );
  return (
    <>
      <PageHeader
        title={t("from", { node: search.node_name })}
        beside={<SearchState search={search} />}
        meta={
          <>
            <Meta>{t(`mode.${search.mode}`)}</Meta>
            <Meta>{search.started_by}</Meta>
            <Meta>
              <RelativeTime at={search.created_at} />
            </Meta>
          </>
        }
        closed={search.state === "running" ? block : undefined}
        actions={search.state === "running" ? stop : undefined}
      />
      <Found search={search} />
    </>
  );
}
