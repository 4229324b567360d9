import { useQuery } from "@tanstack/react-query";
import { IconRefresh } from "@tabler/icons-react";
import { useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useWriteBlock } from "@/api/access";
import { Action } from "@/components/action/action";
import { Meta, PageHeader } from "@/components/layout/page-header";
import { usePageTitle } from "@/components/layout/page-title";
import { PageTabs } from "@/components/layout/tabs";
import { ProblemView } from "@/components/state/problem-view";
import { Skeleton, viewState } from "@/components/state/states";
import { toastDone, toastProblem } from "@/components/state/toast";
import { Status } from "@/components/status/status";
import { RelativeTime } from "@/components/text/relative-time";
import type { Connection } from "../api";
import { glyphs } from "../causes";
import classes from "../proxypanel.module.css";
import { Trouble } from "../trouble";
import { connectionQuery, useSync } from "./api";

/** Why changes are closed, for all writing acts of the module. */
export function useBlock(): string | undefined {
  return useWriteBlock({ needs: "proxypanel.manage", feature: "proxypanel" });
}

export const panelTabs = ["nodes", "users", "hosts", "inbounds", "squads", "drift", "syncs"] as const;
export type PanelTab = (typeof panelTabs)[number];

/** The connection that the address of the page names. */
export function useConnectionId(): string {
  return (useParams({ strict: false }) as { id: string }).id;
}

interface PanelPageProps {
  current: PanelTab;
  children: (connection: Connection) => ReactNode;
}

/** The head that the pages of one proxy panel share: how it is, when it was read, and what is wrong with it. */
export function PanelPage({ current, children }: PanelPageProps) {
  const id = useConnectionId();
  const { t } = useTranslation("proxypanel");
  const state = viewState(useQuery(connectionQuery(id)));
  usePageTitle(state.kind === "ready" ? state.data.label : undefined);
  if (state.kind === "loading") return <Skeleton rows={8} />;
  if (state.kind === "error")
    return <ProblemView error={state.error} onRetry={state.retry} tried={t("panel.loadFailed")} />;
  return (
    <>
      <Head connection={state.data} />
      <div className={classes.tabs}>
        <PageTabs
          label={state.data.label}
          current={current}
          tabs={panelTabs.map((key) => ({
            key,
            label: t(`tab.${key}`),
            link: { to: key === "nodes" ? `/proxypanel/${id}` : `/proxypanel/${id}/${key}` },
          }))}
        />
      </div>
      {state.data.cause !== "" && (
        <div className={classes.wrong}>
          <Trouble connection={state.data} />
        </div>
      )}
      {children(state.data)}
    </>
  );
}

function Head({ connection }: { connection: Connection }) {
  const { t } = useTranslation("proxypanel");
  const block = useBlock();
  const sync = useSync();
  const begin = () =>
    sync.mutate(connection.id, {
      onSuccess: () => toastDone(t("sync.begun")),
      onError: (error) => toastProblem(t("sync.failed"), error),
    });
  return (
    <PageHeader
      title={connection.label}
      beside={<Status kind={glyphs[connection.state]}>{t(`state.${connection.state}`)}</Status>}
      meta={
        <>
          <Meta>{connection.base_url}</Meta>
          <Meta>
            {connection.last_sync_at === null ? (
              t("sync.never")
            ) : (
              <>
                {t("sync.last")} <RelativeTime at={connection.last_sync_at} />
              </>
            )}
          </Meta>
        </>
      }
      closed={block}
      actions={
        <Action icon={IconRefresh} busy={sync.isPending} reason={block} onClick={begin}>
          {t("sync.act")}
        </Action>
      }
    />
  );
}
