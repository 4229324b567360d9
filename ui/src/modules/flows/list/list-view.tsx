import { Menu } from "@mantine/core";
import { IconDownload, IconFileImport, IconPlus, IconRoute2, IconTemplate } from "@tabler/icons-react";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Action, ActionLink } from "@/components/action/action";
import { RowMenu } from "@/components/action/row-menu";
import { PageHeader } from "@/components/layout/page-header";
import { ProblemView } from "@/components/state/problem-view";
import { EmptyState, Skeleton, type ViewState } from "@/components/state/states";
import { toastProblem } from "@/components/state/toast";
import { Glyph } from "@/components/status/glyph";
import { DataTable } from "@/components/table/data-table";
import { SelectionBar } from "@/components/table/selection-bar";
import { useTableLook } from "@/components/table/use-table-look";
import { useFormat } from "@/text/use-format";
import { leftOut, type FlowAct } from "../acts/flow-effects";
import type { Flow } from "../shared/api";
import { exportFlow } from "./export-flow";
import { FilterRow } from "./filter-row";
import { FlowRow } from "./flow-row";
import classes from "./list.module.css";
import type { FlowListSearch } from "./list-search";
import { useFlowColumns } from "./use-flow-columns";
import { useFlowLoads } from "./use-flow-loads";

export interface ListViewProps {
  state: ViewState<Flow[]>;
  all: readonly Flow[];
  total: number;
  filter: FlowListSearch;
  closed: string | undefined;
  /** Why flows may not be stopped, started or deleted. */
  actClosed: string | undefined;
  onFilter: (change: Partial<FlowListSearch>) => void;
  onMore: (() => void) | undefined;
  loadingMore: boolean;
  /** Saves everything that matches as a file. */
  csv: { save: () => void; busy: boolean };
  onAct: (act: FlowAct, flows: Flow[]) => void;
  onRetarget: (flows: Flow[]) => void;
  onClone: (flow: Flow) => void;
}

export function ListView(props: ListViewProps) {
  const { state, all, total, filter, onFilter } = props;
  const { t } = useTranslation("flows");
  const firstUse = state.kind === "ready" && total === 0 && !filter.q && !filter.tag;
  return (
    <>
      <Head {...props} />
      {!firstUse && <FilterRow all={all} filter={filter} onFilter={onFilter} />}
      {state.kind === "loading" && <Skeleton rows={8} />}
      {state.kind === "error" && <ProblemView error={state.error} tried={t("list.failed")} onRetry={state.retry} />}
      {state.kind === "ready" && <FlowTable {...props} rows={state.data} firstUse={firstUse} />}
      {state.kind === "ready" && state.data.length > 0 && <Legend />}
    </>
  );
}

function Head({ total, closed, csv, onFilter }: ListViewProps) {
  const { t } = useTranslation("flows");
  const format = useFormat();
  return (
    <PageHeader
      title={t("list.title")}
      meta={total > 0 ? t("list.total", { count: total, shown: format.number(total) }) : undefined}
      closed={closed}
      actions={
        <>
          {total > 0 && (
            <Action kind="ghost" icon={IconDownload} busy={csv.busy} onClick={csv.save}>
              CSV
            </Action>
          )}
          {closed === undefined && (
            <ActionLink icon={IconFileImport} to="/flows/import">
              {t("list.import")}
            </ActionLink>
          )}
          <Action icon={IconTemplate} reason={closed} onClick={() => onFilter({ create: "single" })}>
            {t("list.template")}
          </Action>
          <Action kind="filled" icon={IconPlus} reason={closed} onClick={() => onFilter({ create: "blank" })}>
            {t("list.new")}
          </Action>
        </>
      }
    />
  );
}

function FlowTable(props: ListViewProps & { rows: Flow[]; firstUse: boolean }) {
  const { rows, all, total, filter, closed, actClosed, onFilter, onMore, loadingMore, onAct, onRetarget, onClone } =
    props;
  const { t } = useTranslation("flows");
  const own = useTableLook("flows");
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const chosen = rows.filter((flow) => ids.has(flow.id));
  const { loads, onDrawn } = useFlowLoads(rows);
  const navigate = useNavigate();
  const narrowed = filter.view !== "all" || filter.health !== undefined;
  return (
    <DataTable
      label={t("list.title")}
      rows={rows}
      columns={useFlowColumns(rows, loads)}
      onDrawn={onDrawn}
      rowId={(flow) => flow.id}
      rowName={(flow) => flow.name}
      rowHeight="two"
      look={own}
      sorting={{ value: filter.sort, onChange: (sort) => onFilter({ sort: sort as FlowListSearch["sort"] }) }}
      selection={actClosed === undefined ? { ids, onChange: setIds } : undefined}
      bar={
        <Bulk chosen={chosen} closed={closed} onAct={onAct} onRetarget={onRetarget} onClear={() => setIds(new Set())} />
      }
      onCreate={closed === undefined ? () => onFilter({ create: "blank" }) : undefined}
      onEdit={({ id }) => void navigate({ to: `/flows/${id}` })}
      menu={(flow) => <FlowMenu flow={flow} closed={closed} actClosed={actClosed} onAct={onAct} onClone={onClone} />}
      phone={(flow) => <FlowRow flow={flow} />}
      total={narrowed && all.length >= total ? rows.length : total - (all.length - rows.length)}
      onMore={onMore}
      loadingMore={loadingMore}
      empty={<Nothing {...props} />}
    />
  );
}

interface BulkProps extends Pick<ListViewProps, "closed" | "onAct" | "onRetarget"> {
  chosen: Flow[];
  onClear: () => void;
}

function Bulk({ chosen, closed, onAct, onRetarget, onClear }: BulkProps) {
  const { t } = useTranslation("flows");
  const ids = chosen.map(({ id }) => id).join(",");
  const offered = (["disable", "enable"] as const).filter((act) => chosen.some((flow) => !leftOut(act, flow)));
  return (
    <SelectionBar count={chosen.length} onClear={onClear}>
      {closed === undefined && (
        <ActionLink size="bar" to="/flows/bulk" search={{ flows: ids }}>
          {t("bulk.verb")}
        </ActionLink>
      )}
      {closed === undefined && chosen.some(({ entry }) => entry?.listener?.reality) && (
        <Action size="bar" onClick={() => onRetarget(chosen)}>
          {t("retarget.bar")}
        </Action>
      )}
      {offered.map((act) => (
        <Action key={act} size="bar" kind={act === "disable" ? "danger" : "default"} onClick={() => onAct(act, chosen)}>
          {t(`act.${act}.verb`)}…
        </Action>
      ))}
    </SelectionBar>
  );
}

function Nothing({ firstUse, closed, onFilter }: ListViewProps & { firstUse: boolean }) {
  const { t } = useTranslation("flows");
  const clear = () => onFilter({ q: undefined, tag: undefined, health: undefined, view: undefined });
  if (!firstUse)
    return <EmptyState title={t("list.nothing")} act={<Action onClick={clear}>{t("list.clear")}</Action>} />;
  return (
    <EmptyState
      icon={IconRoute2}
      title={t("list.empty")}
      act={
        <Action kind="filled" icon={IconPlus} reason={closed} onClick={() => onFilter({ create: "single" })}>
          {t("list.new")}
        </Action>
      }
    >
      {t("list.emptyText")}
    </EmptyState>
  );
}

interface FlowMenuProps extends Pick<ListViewProps, "closed" | "actClosed" | "onAct" | "onClone"> {
  flow: Flow;
}

function FlowMenu({ flow, closed, actClosed, onAct, onClone }: FlowMenuProps) {
  const { t } = useTranslation("flows");
  const turn: FlowAct = flow.enabled ? "disable" : "enable";
  const save = () => void exportFlow(flow).catch((error: unknown) => toastProblem(t("list.exportFailed"), error));
  return (
    <RowMenu name={flow.name}>
      <Menu.Item component={Link} to={`/flows/${flow.id}`}>
        {t("list.open")}
      </Menu.Item>
      <Menu.Item component={Link} to={`/flows/${flow.id}/clients`}>
        {t("list.openClients")}
      </Menu.Item>
      <Menu.Item component={Link} to={`/flows/${flow.id}/versions`}>
        {t("list.openVersions")}
      </Menu.Item>
      <Menu.Item disabled={closed !== undefined} onClick={() => onClone(flow)}>
        {t("clone.act")}…
      </Menu.Item>
      <Menu.Item onClick={save}>{t("list.export")}</Menu.Item>
      <Menu.Divider />
      {actClosed && <Menu.Label>{actClosed}</Menu.Label>}
      {!leftOut(turn, flow) && (
        <Menu.Item disabled={actClosed !== undefined} onClick={() => onAct(turn, [flow])}>
          {t(`act.${turn}.verb`)}…
        </Menu.Item>
      )}
      <Menu.Item data-danger disabled={actClosed !== undefined} onClick={() => onAct("delete", [flow])}>
        {t("act.delete.verb")}…
      </Menu.Item>
    </RowMenu>
  );
}

function Legend() {
  const { t } = useTranslation("flows");
  return (
    <p className={classes.legend}>
      <span>
        <Glyph kind="in-sync" /> {t("legend.squares")}
      </span>
      <span>
        <Glyph kind="healthy" /> {t("legend.circles")}
      </span>
      <span>
        <Glyph kind="bypassed" size={14} /> {t("legend.shield")}
      </span>
    </p>
  );
}
