import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { EmptyState, Skeleton, type ViewState } from "@/components/state/states";
import { ProblemView } from "@/components/state/problem-view";
import { DataTable, type Column, type Sorting } from "@/components/table/data-table";
import { NameCell } from "@/components/table/name-cell";
import type { RowsFile } from "@/components/table/save-rows";
import { RelativeTime } from "@/components/text/relative-time";
import type { Listed, Summary } from "./api";
import { PoolState } from "./pool-state";

interface PoolsViewProps {
  state: ViewState<Listed>;
  sorting: Sorting;
  more: { load: () => void; busy: boolean } | undefined;
  /** Makes a pool, where somebody may. */
  onAdd: (() => void) | undefined;
}

const file: RowsFile<Summary> = {
  name: "transit-pools",
  fields: [
    ["name", (pool) => pool.name],
    ["state", (pool) => pool.state],
    ["members", (pool) => pool.members],
    ["down", (pool) => pool.down],
    ["strategy", (pool) => pool.strategy],
    ["fallback", (pool) => pool.fallback],
    ["on_fallback", (pool) => String(pool.on_fallback)],
    ["flows", (pool) => pool.flows],
    ["id", (pool) => pool.id],
  ],
};

/** The list of pools: how each is, and who uses it. */
export function PoolsView({ state, sorting, more, onAdd }: PoolsViewProps) {
  const { t } = useTranslation("pools");
  if (state.kind === "loading") return <Skeleton rows={8} />;
  if (state.kind === "error") return <ProblemView error={state.error} onRetry={state.retry} tried={t("loadFailed")} />;
  const columns: Column<Summary>[] = [
    {
      key: "name",
      head: t("columns.name"),
      sort: "name",
      cell: (pool) => (
        <NameCell title={pool.name}>
          <Link to={`/pools/${pool.id}`}>{pool.name}</Link>
        </NameCell>
      ),
    },
    { key: "state", head: t("columns.state"), width: 150, cell: (pool) => <PoolState state={pool.state} inTable /> },
    { key: "members", head: t("columns.members"), width: 150, cell: (pool) => <Members pool={pool} /> },
    {
      key: "strategy",
      head: t("columns.strategy"),
      width: 190,
      drop: 2,
      cell: (pool) => <span className="soft">{t(`strategy.${pool.strategy as "random"}`)}</span>,
    },
    { key: "fallback", head: t("columns.fallback"), width: 170, drop: 1, cell: (pool) => <FallbackCell pool={pool} /> },
    {
      key: "flows",
      head: t("columns.flows"),
      width: 80,
      drop: 3,
      cell: (pool) => <span className="num">{pool.flows}</span>,
    },
    {
      key: "created",
      head: t("columns.created"),
      sort: "created_at",
      width: 130,
      drop: 4,
      cell: (pool) => <RelativeTime at={pool.created_at} />,
    },
  ];
  return (
    <DataTable
      label={t("title")}
      rows={state.data.items}
      total={state.data.total}
      columns={columns}
      rowId={(pool) => pool.id}
      rowName={(pool) => pool.name}
      file={file}
      sorting={sorting}
      onMore={more?.load}
      loadingMore={more?.busy}
      onCreate={onAdd}
      phone={(pool) => (
        <>
          <p className="strong">
            <Link to={`/pools/${pool.id}`}>{pool.name}</Link>
          </p>
          <p>
            <PoolState state={pool.state} inTable />{" "}
            <span className="soft num">
              {t("membersCount", { count: pool.members })}
              {pool.down > 0 && t("andDown", { count: pool.down })}
            </span>
          </p>
        </>
      )}
      empty={<EmptyState title={t("empty.title")}>{t("empty.text")}</EmptyState>}
    />
  );
}

function Members({ pool }: { pool: Summary }) {
  const { t } = useTranslation("pools");
  return (
    <span className="num">
      {pool.down > 0 ? t("membersDown", { count: pool.members, down: pool.down }) : pool.members}
    </span>
  );
}

function FallbackCell({ pool }: { pool: Summary }) {
  const { t } = useTranslation("pools");
  const word = t(`fallback.${pool.fallback}`);
  return <span className={pool.on_fallback ? "strong" : "soft"}>{pool.on_fallback ? t("inUse", { word }) : word}</span>;
}
