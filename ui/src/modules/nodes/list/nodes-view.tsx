import { IconDownload, IconPlus, IconServer2 } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Action, ActionLink } from "@/components/action/action";
import { Meta, PageHeader } from "@/components/layout/page-header";
import { ProblemView } from "@/components/state/problem-view";
import { EmptyState, Skeleton, type ViewState } from "@/components/state/states";
import { FiguresAge } from "@/components/text/figures-age";
import { useTableLook } from "@/components/table/use-table-look";
import { useFormat } from "@/text/use-format";
import type { NodeSummary } from "../shared/fleet";
import { FilterRow } from "./filter-row";
import type { NodeActs, NodesData } from "./nodes-data";
import type { NodesFilter } from "./nodes-filter";
import { NodesTable } from "./nodes-table";

interface NodesViewProps {
  state: ViewState<NodesData>;
  filter: NodesFilter;
  onFilter: (change: Partial<NodesFilter>) => void;
  summary: NodeSummary | undefined;
  block: string | undefined;
  more: { load: () => void; busy: boolean } | undefined;
  /** Saves everything that matches as a file, not only what is loaded. */
  csv: { save: () => void; busy: boolean };
  acts: NodeActs;
}

export function NodesView(props: NodesViewProps) {
  const { t } = useTranslation("nodes");
  const { state, filter, onFilter, summary, block } = props;
  const own = useTableLook("nodes");
  const filtered = Object.entries(filter).some(([key, value]) => key !== "sort" && value);
  const empty = state.kind === "ready" && state.data.total === 0 && !filtered;
  return (
    <>
      <Head {...props} />
      {!empty && <FilterRow filter={filter} onFilter={onFilter} summary={summary} own={own} />}
      {state.kind === "loading" && <Skeleton rows={10} />}
      {state.kind === "error" && <ProblemView error={state.error} onRetry={state.retry} tried={t("loadFailed")} />}
      {empty && (
        <EmptyState icon={IconServer2} title={t("empty.title")} act={!block && <AddNode />}>
          {t("empty.text")}
        </EmptyState>
      )}
      {state.kind === "ready" && !empty && <NodesTable {...props} data={state.data} own={own} />}
    </>
  );
}

function Head({ state, summary, block, csv }: NodesViewProps) {
  const { t } = useTranslation("nodes");
  return (
    <PageHeader
      title={t("title")}
      meta={
        <>
          <Meta>
            <Lead summary={summary} />
          </Meta>
          <Meta>
            <FiguresAge />
          </Meta>
        </>
      }
      closed={block}
      actions={
        <>
          {state.kind === "ready" && state.data.rows.length > 0 && (
            <Action kind="ghost" icon={IconDownload} busy={csv.busy} onClick={csv.save}>
              CSV
            </Action>
          )}
          {block ? (
            <Action icon={IconPlus} reason={block}>
              {t("add")}
            </Action>
          ) : (
            <AddNode />
          )}
        </>
      }
    />
  );
}

function AddNode() {
  const { t } = useTranslation("nodes");
  return (
    <ActionLink to="/nodes/new" kind="filled" icon={IconPlus}>
      {t("add")}
    </ActionLink>
  );
}

function Lead({ summary }: { summary: NodeSummary | undefined }) {
  const { t } = useTranslation("nodes");
  const format = useFormat();
  if (!summary || summary.total === 0) return t("leadNone");
  const servers = t("lead", { count: summary.total, shown: format.number(summary.total) });
  const countries = (summary.countries ?? []).filter(({ code }) => code !== "XX").length;
  return countries > 0 ? `${servers} ${t("leadCountries", { count: countries })}` : servers;
}
