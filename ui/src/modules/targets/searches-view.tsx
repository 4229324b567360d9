import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { EmptyState, Skeleton, type ViewState } from "@/components/state/states";
import { ProblemView } from "@/components/state/problem-view";
import { Status } from "@/components/status/status";
import { DataTable, type Column } from "@/components/table/data-table";
import { NameCell } from "@/components/table/name-cell";
import type { RowsFile } from "@/components/table/save-rows";
import { RelativeTime } from "@/components/text/relative-time";
import type { Listed, Search } from "./api";

interface SearchesViewProps {
  state: ViewState<Listed<Search>>;
  more: { load: () => void; busy: boolean } | undefined;
  onOpen: (search: Search) => void;
}

const file: RowsFile<Search> = {
  name: "target-searches",
  fields: [
    ["node", (search) => search.node_name],
    ["mode", (search) => search.mode],
    ["state", (search) => search.state],
    ["scanned", (search) => search.scanned],
    ["total", (search) => search.total],
    ["found", (search) => search.found],
    ["started_by", (search) => search.started_by],
    ["created_at", (search) => search.created_at],
    ["id", (search) => search.id],
  ],
};

export function SearchesView({ state, more, onOpen }: SearchesViewProps) {
  const { t } = useTranslation("targets");
  if (state.kind === "loading") return <Skeleton rows={8} />;
  if (state.kind === "error") return <ProblemView error={state.error} onRetry={state.retry} tried={t("loadFailed")} />;
  const columns: Column<Search>[] = [
    {
      key: "node",
      head: t("columns.node"),
      cell: (search) => (
        <NameCell title={search.node_name}>
          <Link to={`/targets/${search.id}`}>{search.node_name}</Link>
        </NameCell>
      ),
    },
    { key: "mode", head: t("columns.mode"), width: 200, drop: 2, cell: ({ mode }) => t(`mode.${mode}`) },
    { key: "state", head: t("columns.state"), width: 170, cell: (search) => <SearchState search={search} inTable /> },
    {
      key: "scanned",
      head: t("columns.scanned"),
      width: 120,
      drop: 3,
      cell: ({ scanned, total }) => <span className="num">{t("of", { count: scanned, total })}</span>,
    },
    {
      key: "found",
      head: t("columns.found"),
      width: 110,
      cell: ({ found }) => <span className="num">{found}</span>,
    },
    {
      key: "created",
      head: t("columns.created"),
      width: 150,
      drop: 1,
      cell: (search) => <RelativeTime at={search.created_at} />,
    },
  ];
  return (
    <DataTable
      label={t("title")}
      rows={state.data.items}
      total={state.data.total}
      columns={columns}
      rowId={({ id }) => id}
      rowName={({ node_name }) => node_name}
      file={file}
      onOpen={onOpen}
      onMore={more?.load}
      loadingMore={more?.busy}
      phone={(search) => (
        <>
          <p className="strong">
            <Link to={`/targets/${search.id}`}>{search.node_name}</Link>
          </p>
          <p className="dim">
            {t(`mode.${search.mode}`)} · {t(`state.${search.state}`)} · {t("foundOf", search)}
          </p>
        </>
      )}
      empty={<EmptyState title={t("empty.title")}>{t("empty.text")}</EmptyState>}
    />
  );
}

const glyphs = { running: "applying", done: "in-sync", failed: "failed", cancelled: "skipped" } as const;

/** Where a search stands. */
export function SearchState({ search, inTable }: { search: Search; inTable?: boolean }) {
  const { t } = useTranslation("targets");
  return (
    <Status kind={glyphs[search.state]} inTable={inTable}>
      {t(`state.${search.state}`)}
    </Status>
  );
}
