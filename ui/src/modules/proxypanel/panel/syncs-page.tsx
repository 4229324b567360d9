import { useInfiniteQuery } from "@tanstack/react-query";
import { IconRefresh } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Columns } from "@/components/layout/columns";
import { EmptyState } from "@/components/state/states";
import type { GlyphKind } from "@/components/status/glyph";
import { Status } from "@/components/status/status";
import type { Column } from "@/components/table/data-table";
import { Listing } from "@/components/table/listing";
import { useTableLook } from "@/components/table/use-table-look";
import { RelativeTime } from "@/components/text/relative-time";
import { useFormat } from "@/text/use-format";
import { causeOf } from "../causes";
import classes from "../proxypanel.module.css";
import { syncsQuery, type SyncRun } from "./api";
import { PanelPage, useConnectionId } from "./panel-page";
import { WebhookCard } from "./webhook-card";

/** When a proxy panel was read and what came of it, and how news from there arrives meanwhile. */
export default function SyncsPage() {
  const { t } = useTranslation("proxypanel");
  const id = useConnectionId();
  const list = useInfiniteQuery(syncsQuery(id));
  const look = useTableLook("proxypanel-syncs");
  const columns = useColumns();
  return (
    <PanelPage current="syncs">
      {(connection) => (
        <Columns width="narrow" side={<WebhookCard connection={connection} />}>
          <Listing
            list={list}
            tried={t("panel.loadFailed")}
            label={t("tab.syncs")}
            columns={columns}
            look={look}
            rowId={(run) => run.id}
            rowName={({ started_at: at }) => at}
            rowHeight="two"
            phone={(run) => (
              <>
                <Outcome run={run} />
                <span className={classes.phone}>
                  <RelativeTime at={run.started_at} /> <Found run={run} />
                </span>
              </>
            )}
            empty={
              <EmptyState icon={IconRefresh} title={t("syncs.none")}>
                {t("syncs.noneText")}
              </EmptyState>
            }
          />
        </Columns>
      )}
    </PanelPage>
  );
}

const glyphs: Record<SyncRun["state"], GlyphKind> = { running: "waiting", succeeded: "healthy", failed: "down" };

function Outcome({ run: { state, cause, detail, scope } }: { run: SyncRun }) {
  const { t } = useTranslation("proxypanel");
  const why = cause === "interrupted" ? t("syncs.interrupted") : t(`cause.${causeOf(cause)}.wrong`, { word: cause });
  return (
    <span className={classes.two}>
      <Status kind={glyphs[state]}>{t(`syncs.state.${state}`)}</Status>
      <span className={classes.second} title={detail || undefined}>
        {cause === "" ? t(`syncs.scopes.${scope}`) : why}
      </span>
    </span>
  );
}

/** What a run changed of what is known here; nothing is ever changed there by it. */
function Found({ run: { state, objects, users, added, changed, gone } }: { run: SyncRun }) {
  const { t } = useTranslation("proxypanel");
  const format = useFormat();
  const news = [
    added > 0 && t("syncs.added", { count: added, shown: format.number(added) }),
    changed > 0 && t("syncs.changed", { count: changed, shown: format.number(changed) }),
    gone > 0 && t("syncs.gone", { count: gone, shown: format.number(gone) }),
  ].filter(Boolean);
  return (
    <span className={classes.two}>
      <span>{news.length > 0 ? news.join(", ") : state === "succeeded" ? t("syncs.same") : "—"}</span>
      <span className={`${classes.second} num`}>
        {t("syncs.read", { objects: format.number(objects), users: format.number(users) })}
      </span>
    </span>
  );
}

function useColumns(): Column<SyncRun>[] {
  const { t } = useTranslation("proxypanel");
  const format = useFormat();
  return [
    {
      key: "at",
      head: t("syncs.at"),
      width: 150,
      cell: ({ started_at: at, source, started_by: by }) => (
        <span className={classes.two}>
          <RelativeTime at={at} />
          <span className={classes.second}>{source === "person" ? by : t("syncs.bySchedule")}</span>
        </span>
      ),
    },
    { key: "outcome", head: t("syncs.outcome"), cell: (run) => <Outcome run={run} /> },
    { key: "found", head: t("syncs.found"), width: 240, drop: 1, cell: (run) => <Found run={run} /> },
    {
      key: "took",
      head: t("syncs.took"),
      width: 90,
      drop: 3,
      cell: ({ started_at: from, finished_at: to }) =>
        to === null ? (
          "—"
        ) : (
          <span className="num">{format.span(Math.round((Date.parse(to) - Date.parse(from)) / 1000))}</span>
        ),
    },
  ];
}
