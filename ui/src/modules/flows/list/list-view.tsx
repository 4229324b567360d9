import { Menu, TextInput } from "@mantine/core";
import { IconDots, IconPlus, IconRoute2, IconSearch, IconTemplate } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { DataTable, type Column } from "@/components/table/data-table";
import { Glyph } from "@/components/status/glyph";
import { PageHeader } from "@/components/layout/page-header";
import { ProblemView } from "@/components/state/problem-view";
import { RelativeTime } from "@/components/text/relative-time";
import { SlotPart, useSlot } from "@/components/slots/slots";
import { EmptyState, Skeleton, type ViewState } from "@/components/state/states";
import { SavedViews } from "@/components/layout/tabs";
import { useFormat, useLanguage } from "@/text/use-format";
import type { Flow } from "../shared/api";
import { listenerLine } from "../drawing/drawing";
import { usePlaces } from "../editor/editor-context";
import { BypassMark, FlowConfig, FlowHealth } from "../shared/flow-states";
import classes from "./list.module.css";
import { viewFilters, type FlowListSearch } from "./list-search";

export interface ListViewProps {
  state: ViewState<Flow[]>;
  all: readonly Flow[];
  total: number;
  filter: FlowListSearch;
  closed: string | undefined;
  deleteClosed: string | undefined;
  onFilter: (change: Partial<FlowListSearch>) => void;
  onClear: () => void;
  onMore: (() => void) | undefined;
  loadingMore: boolean;
  onDelete: (flow: Flow) => void;
}

export function ListView({
  state,
  all,
  total,
  filter,
  closed,
  deleteClosed,
  onFilter,
  onClear,
  onMore,
  loadingMore,
  onDelete,
}: ListViewProps) {
  const { t } = useTranslation("flows");
  const format = useFormat();
  const columns = useColumns(state.kind === "ready" ? state.data : []);
  const firstUse = state.kind === "ready" && total === 0 && filter.q === "";
  const views = (["all", "config", "health", "bypassed"] as const).map((key) => ({
    key,
    label: t(`view.${key}`),
    count: all.length === 0 ? undefined : all.filter(viewFilters[key]).length,
    link: {
      to: "/flows",
      search: (old: Record<string, unknown>) => ({ ...old, view: key === "all" ? undefined : key }),
    },
  }));
  return (
    <>
      <PageHeader
        title={t("list.title")}
        meta={total > 0 ? t("list.total", { count: total, shown: format.number(total) }) : undefined}
        closed={closed}
        actions={
          <>
            <Action icon={IconTemplate} reason={closed} onClick={() => onFilter({ create: "single" })}>
              {t("list.template")}
            </Action>
            <Action kind="filled" icon={IconPlus} reason={closed} onClick={() => onFilter({ create: "blank" })}>
              {t("list.new")}
            </Action>
          </>
        }
      />
      {!firstUse && (
        <div className={classes.filters}>
          <SavedViews views={views} current={filter.view} label={t("view.label")} />
          <TextInput
            className={classes.search}
            aria-label={t("list.filter")}
            placeholder={t("list.filter")}
            data-search
            leftSection={<IconSearch size={15} stroke={1.6} aria-hidden />}
            defaultValue={filter.q}
            onChange={(event) => onFilter({ q: event.currentTarget.value })}
          />
        </div>
      )}
      {state.kind === "loading" && <Skeleton rows={8} />}
      {state.kind === "error" && <ProblemView error={state.error} tried={t("list.failed")} onRetry={state.retry} />}
      {state.kind === "ready" && (
        <>
          <DataTable
            label={t("list.title")}
            rows={state.data}
            columns={columns}
            rowId={(flow) => flow.id}
            rowName={(flow) => flow.name}
            rowHeight="two"
            sorting={{ value: filter.sort, onChange: (sort) => onFilter({ sort: sort as FlowListSearch["sort"] }) }}
            menu={(flow) => <RowMenu flow={flow} deleteClosed={deleteClosed} onDelete={onDelete} />}
            phone={(flow) => <PhoneRow flow={flow} />}
            total={filter.view === "all" ? total : state.data.length}
            onMore={onMore}
            loadingMore={loadingMore}
            empty={
              firstUse ? (
                <EmptyState
                  icon={IconRoute2}
                  title={t("list.empty")}
                  act={
                    <Action
                      kind="filled"
                      icon={IconPlus}
                      reason={closed}
                      onClick={() => onFilter({ create: "single" })}
                    >
                      {t("list.new")}
                    </Action>
                  }
                >
                  {t("list.emptyText")}
                </EmptyState>
              ) : (
                <EmptyState title={t("list.nothing")} act={<Action onClick={onClear}>{t("list.clear")}</Action>} />
              )
            }
          />
          {state.data.length > 0 && <Legend />}
        </>
      )}
    </>
  );
}

function useColumns(rows: readonly Flow[]): Column<Flow>[] {
  const { t } = useTranslation("flows");
  const language = useLanguage();
  const ids = rows.map((flow) => flow.id);
  const added = useSlot("flowColumns").map((entry): Column<Flow> => ({
    key: entry.key,
    head: entry.label[language],
    cell: (flow) => <SlotPart entry={entry} props={{ id: flow.id, ids }} />,
  }));
  return [
    {
      key: "name",
      head: t("list.flow"),
      sort: "name",
      cell: (flow) => (
        <span className={classes.name}>
          <Link to={`/flows/${flow.id}`}>{flow.name}</Link>
          <span>{listenerLine(flow.entry?.listener ?? undefined) || t("block.noListener")}</span>
        </span>
      ),
    },
    { key: "config", head: t("list.config"), cell: (flow) => <FlowConfig flow={flow} inTable /> },
    { key: "health", head: t("list.health"), cell: (flow) => <FlowHealth flow={flow} inTable /> },
    { key: "version", head: t("list.version"), cell: (flow) => <VersionCell flow={flow} /> },
    {
      key: "applied",
      head: t("list.lastApply"),
      sort: "installed_at",
      cell: (flow) =>
        flow.installed_at ? <RelativeTime at={flow.installed_at} bare /> : <span className="dim">—</span>,
    },
    {
      key: "entry",
      head: t("list.entry"),
      cell: (flow) =>
        flow.entry?.host ? (
          <span className={`mono ${classes.host}`}>{flow.entry.host}</span>
        ) : (
          <span className="dim">—</span>
        ),
    },
    { key: "nodes", head: t("list.nodes"), cell: (flow) => <NodesCell flow={flow} /> },
    {
      key: "clients",
      head: t("list.clients"),
      align: "right",
      cell: (flow) => flow.clients.filter((client) => client.revoked_at === null).length,
    },
    ...added,
  ];
}

function VersionCell({ flow }: { flow: Flow }) {
  if (flow.installed_version_number === null) return <span className="dim">—</span>;
  return (
    <span className={classes.version}>
      v{flow.installed_version_number}
      <BypassMark checks={flow.bypassed_checks} />
    </span>
  );
}

function NodesCell({ flow }: { flow: Flow }) {
  const { servers } = usePlaces();
  const names = flow.node_ids.map((id) => servers.get(id)?.name ?? id.slice(-6));
  if (names.length === 0) return <span className="dim">—</span>;
  return (
    <span className="soft" title={names.join(", ")}>
      {names.slice(0, 2).join(", ")}
      {names.length > 2 && <span className="dim"> +{names.length - 2}</span>}
    </span>
  );
}

function RowMenu({
  flow,
  deleteClosed,
  onDelete,
}: {
  flow: Flow;
  deleteClosed: string | undefined;
  onDelete: (flow: Flow) => void;
}) {
  const { t } = useTranslation("flows");
  const { t: app } = useTranslation("app");
  return (
    <Menu>
      <Menu.Target>
        <Action kind="ghost" size="bar" iconOnly icon={IconDots}>
          {app("table.actsOf", { name: flow.name })}
        </Action>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component={Link} to={`/flows/${flow.id}`}>
          {t("list.open")}
        </Menu.Item>
        <Menu.Item component={Link} to={`/flows/${flow.id}/clients`}>
          {t("list.openClients")}
        </Menu.Item>
        <Menu.Item component={Link} to={`/flows/${flow.id}/versions`}>
          {t("list.openVersions")}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item data-danger disabled={deleteClosed !== undefined} onClick={() => onDelete(flow)}>
          {t("delete.act")}…{deleteClosed && <span className="dim"> {deleteClosed}</span>}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function PhoneRow({ flow }: { flow: Flow }) {
  const { t } = useTranslation("flows");
  return (
    <>
      <span className={classes.phoneLine}>
        <Link to={`/flows/${flow.id}`} className="strong">
          {flow.name}
        </Link>
        <span className="dim">{listenerLine(flow.entry?.listener ?? undefined) || t("block.noListener")}</span>
      </span>
      <span className={classes.phoneLine}>
        <FlowConfig flow={flow} />
        <FlowHealth flow={flow} />
        <VersionCell flow={flow} />
      </span>
    </>
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
