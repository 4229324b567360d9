import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { IconPlus } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { z } from "zod";
import { Action } from "@/components/action/action";
import { Segmented } from "@/components/form/segmented";
import { ProblemView } from "@/components/state/problem-view";
import { EmptyState, Skeleton } from "@/components/state/states";
import { useSearchState } from "@/components/screen/use-search";
import type { Column } from "@/components/table/data-table";
import { Listing } from "@/components/table/listing";
import { useTableLook } from "@/components/table/use-table-look";
import { RelativeTime } from "@/components/text/relative-time";
import { noticesQuery, type Notice, type NoticeView, type Page } from "../api";
import { StatusPageHeader, useBlock, useChosenPage } from "../shared/header";
import { localText } from "../shared/localised";
import { ImpactWord, NoticeStatus } from "../shared/states";
import classes from "../statuspage.module.css";
import { NoticeDialog } from "./notice-dialog";

const views: NoticeView[] = ["open", "resolved", "all"];

/** What readers are told about what went wrong. */
export default function NoticesPage() {
  const { t } = useTranslation("statuspage");
  const block = useBlock();
  const chosen = useChosenPage();
  const [adding, setAdding] = useState(false);
  const page = chosen.kind === "ready" ? chosen.data.page : undefined;
  return (
    <>
      <StatusPageHeader
        current="incidents"
        chosen={chosen.kind === "ready" ? chosen.data : undefined}
        actions={
          page && (
            <Action kind="filled" icon={IconPlus} reason={block} onClick={() => setAdding(true)}>
              {t("notices.add")}
            </Action>
          )
        }
      />
      {chosen.kind === "loading" && <Skeleton rows={6} />}
      {chosen.kind === "error" && <ProblemView error={chosen.error} tried={t("loadFailed")} onRetry={chosen.retry} />}
      {chosen.kind === "ready" && !page && <EmptyState title={t("none")}>{t("noneText")}</EmptyState>}
      {page && <Notices page={page} />}
      {adding && page && <NoticeDialog page={page} onClose={() => setAdding(false)} />}
    </>
  );
}

const search = z.object({ state: z.enum(["open", "resolved", "all"]).optional().catch(undefined) });

function Notices({ page }: { page: Page }) {
  const { t } = useTranslation("statuspage");
  const [place, change] = useSearchState(search);
  const view = place.state ?? "open";
  const list = useInfiniteQuery(noticesQuery(page.id, view));
  return (
    <Listing
      label={t("tab.incidents")}
      tried={t("notices.loadFailed")}
      list={list}
      columns={useColumns(page)}
      look={useTableLook("statuspage-incidents")}
      rowId={({ id }) => id}
      rowName={(notice) => localText(notice.titles, page.default_locale)}
      rowHeight="two"
      bar={
        <Segmented
          label={t("notices.views")}
          value={view}
          onChange={(state) => change({ state: state === "open" ? undefined : state })}
          options={views.map((value) => ({ value, label: t(`notices.view.${value}`) }))}
        />
      }
      empty={<EmptyState title={t(`notices.none.${view}`)}>{t("notices.noneText")}</EmptyState>}
      phone={(notice) => (
        <>
          <NoticeLink notice={notice} page={page} />
          <span className={classes.phone}>
            <NoticeStatus state={notice.state} published={notice.published} /> <RelativeTime at={notice.started_at} />
          </span>
        </>
      )}
    />
  );
}

function NoticeLink({ notice, page }: { notice: Notice; page: Page }) {
  return (
    <Link to={`/status-page/incidents/${notice.id}`} search={{ page: page.id } as never} className="strong">
      {localText(notice.titles, page.default_locale)}
    </Link>
  );
}

function useColumns(page: Page): Column<Notice>[] {
  const { t } = useTranslation("statuspage");
  return [
    {
      key: "title",
      head: t("notices.head.title"),
      cell: (notice) => (
        <span className={classes.two}>
          <NoticeLink notice={notice} page={page} />
          <span className={classes.second}>{localText(notice.updates[0]?.bodies ?? {}, page.default_locale)}</span>
        </span>
      ),
    },
    {
      key: "state",
      head: t("notices.head.state"),
      width: 210,
      cell: ({ state, published }) => <NoticeStatus state={state} published={published} inTable />,
    },
    {
      key: "impact",
      head: t("notices.head.impact"),
      width: 130,
      drop: 2,
      cell: ({ impact }) => <ImpactWord impact={impact} />,
    },
    {
      key: "source",
      head: t("notices.head.source"),
      width: 130,
      drop: 3,
      cell: ({ drafted_from: from }) => (from ? t("notices.fromHealth") : t("notices.byHand")),
    },
    {
      key: "since",
      head: t("notices.head.since"),
      width: 130,
      drop: 1,
      cell: ({ started_at: at }) => <RelativeTime at={at} />,
    },
  ];
}
