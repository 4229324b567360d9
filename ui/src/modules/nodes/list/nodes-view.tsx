import { Menu, TextInput } from "@mantine/core";
import { IconArrowUp, IconDownload, IconPlus, IconSearch, IconServer2 } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useEffect, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Action, ActionLink } from "@/components/action/action";
import { DataTable, NameCell, type Column } from "@/components/table/data-table";
import { Glyph } from "@/components/status/glyph";
import { PageHeader } from "@/components/layout/page-header";
import { ProblemView } from "@/components/state/problem-view";
import { RelativeTime } from "@/components/text/relative-time";
import { RowMenu } from "@/components/action/row-menu";
import { Meter } from "@/components/chart/spark";
import { EmptyState, Skeleton, type ViewState } from "@/components/state/states";
import { Status, Tag } from "@/components/status/status";
import { SavedViews } from "@/components/layout/tabs";
import { usePhone } from "@/components/screen/use-phone";
import { useFormat } from "@/text/use-format";
import type { BulkRequest } from "../shared/api";
import { NodesBar } from "./nodes-bar";
import { saveNodesCsv } from "./nodes-csv";
import { configOf, cpuLimit, healthOf } from "../shared/node-status";
import type { NodesFilter } from "./nodes-filter";
import classes from "./nodes.module.css";
import type { Node, NodeSummary } from "../shared/types";

export interface NodesData {
  rows: Node[];
  total: number;
}

export interface NodeActs {
  restart: (node: Node) => void;
  maintain: (node: Node, on: boolean) => void;
  bulk: (nodes: Node[], request: BulkRequest) => void;
  remove: (node: Node) => void;
}

interface NodesViewProps {
  state: ViewState<NodesData>;
  filter: NodesFilter;
  onFilter: (change: Partial<NodesFilter>) => void;
  summary: NodeSummary | undefined;
  block: string | undefined;
  more: { load: () => void; busy: boolean } | undefined;
  acts: NodeActs;
}

export function NodesView(props: NodesViewProps) {
  const { t } = useTranslation("nodes");
  const { state, filter, onFilter, summary, block, acts } = props;
  const rows = state.kind === "ready" ? state.data.rows : [];
  const unfiltered = !filter.q && !filter.state && !filter.tag && !filter.role;
  const empty = state.kind === "ready" && state.data.total === 0 && unfiltered;
  return (
    <>
      <PageHeader
        title={t("title")}
        meta={summary && summary.total > 0 ? t("lead", { count: summary.total }) : t("leadNone")}
        closed={block}
        actions={
          <>
            {rows.length > 0 && (
              <Action kind="ghost" icon={IconDownload} onClick={() => saveNodesCsv(rows)}>
                CSV
              </Action>
            )}
            {block ? (
              <Action icon={IconPlus} reason={block}>
                {t("add")}
              </Action>
            ) : (
              <ActionLink to="/nodes/new" kind="filled" icon={IconPlus}>
                {t("add")}
              </ActionLink>
            )}
          </>
        }
      />
      {!empty && <FilterRow filter={filter} onFilter={onFilter} summary={summary} />}
      {state.kind === "loading" && <Skeleton rows={10} />}
      {state.kind === "error" && <ProblemView error={state.error} onRetry={state.retry} tried={t("loadFailed")} />}
      {empty && (
        <EmptyState
          icon={IconServer2}
          title={t("empty.title")}
          act={
            !block && (
              <ActionLink to="/nodes/new" kind="filled" icon={IconPlus}>
                {t("add")}
              </ActionLink>
            )
          }
        >
          {t("empty.text")}
        </EmptyState>
      )}
      {state.kind === "ready" && !empty && <NodesTable {...props} data={state.data} acts={acts} />}
    </>
  );
}

function FilterRow({ filter, onFilter, summary }: Pick<NodesViewProps, "filter" | "onFilter" | "summary">) {
  const { t } = useTranslation("nodes");
  const [text, setText] = useState(filter.q ?? "");
  useEffect(() => setText(filter.q ?? ""), [filter.q]);
  useEffect(() => {
    if (text === (filter.q ?? "")) return;
    const timer = setTimeout(() => onFilter({ q: text || undefined }), 250);
    return () => clearTimeout(timer);
  }, [text, filter.q, onFilter]);
  const count = (state: keyof NonNullable<NodeSummary["states"]>) =>
    summary ? (summary.states[state] ?? 0) : undefined;
  const view = (state: NodesFilter["state"]) => ({ to: "/nodes", search: state ? { state } : {} });
  const views = [
    { key: "all", label: t("views.all"), count: summary?.total, link: view(undefined) },
    { key: "offline", label: t("views.offline"), count: count("offline"), link: view("offline") },
    { key: "degraded", label: t("views.degraded"), count: count("degraded"), link: view("degraded") },
    { key: "maintenance", label: t("views.maintenance"), count: count("maintenance"), link: view("maintenance") },
    { key: "pending", label: t("views.pending"), count: count("pending"), link: view("pending") },
  ].filter((item) => item.key === "all" || item.key === filter.state || (item.count ?? 0) > 0);
  const custom = filter.q || filter.tag || filter.role;
  return (
    <div className={classes.filters}>
      <SavedViews label={t("views.label")} views={views} current={custom ? "" : (filter.state ?? "all")} />
      <div className={classes.search}>
        <TextInput
          aria-label={t("filter")}
          placeholder={t("filter")}
          data-search
          leftSection={<IconSearch size={16} stroke={1.6} aria-hidden />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      </div>
    </div>
  );
}

function NodesTable({ data, filter, onFilter, block, more, acts }: NodesViewProps & { data: NodesData }) {
  const { t } = useTranslation("nodes");
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const phone = usePhone();
  const columns = useColumns(onFilter, data.rows);
  const chosen = data.rows.filter((node) => selected.has(node.id));
  return (
    <DataTable
      label={t("title")}
      rows={data.rows}
      total={data.total}
      columns={columns}
      rowId={(node) => node.id}
      rowName={(node) => node.name}
      sorting={{ value: filter.sort ?? "state", onChange: (sort) => onFilter({ sort }) }}
      selection={block || phone ? undefined : { ids: selected, onChange: setSelected }}
      onMore={more?.load}
      loadingMore={more?.busy}
      menu={(node) => <NodeMenu node={node} block={block} acts={acts} />}
      phone={(node) => <PhoneNode node={node} />}
      empty={
        <EmptyState title={t("nothing")} act={<ActionLink to="/nodes">{t("clear")}</ActionLink>}>
          {t("nothingText")}
        </EmptyState>
      }
      bar={<NodesBar nodes={chosen} onAct={acts.bulk} onClear={() => setSelected(new Set())} />}
    />
  );
}

function useColumns(onFilter: NodesViewProps["onFilter"], rows: readonly Node[]): Column<Node>[] {
  const { t } = useTranslation("nodes");
  const format = useFormat();
  const largest = Math.max(
    0,
    ...rows.map((node) => Math.max(node.metrics?.net_rx_bps ?? 0, node.metrics?.net_tx_bps ?? 0)),
  );
  const bits = useMemo(() => format.commonBits(largest), [format, largest]);
  return useMemo(
    () => [
      {
        key: "name",
        head: t("columns.name"),
        sort: "name",
        cell: (node) => (
          <NameCell place={node.city || node.address}>
            <Link to="/nodes/$id" params={{ id: node.id }}>
              {node.name}
            </Link>
          </NameCell>
        ),
      },
      { key: "config", head: t("columns.config"), cell: (node) => <AxisStatus axis={configOf(node)} /> },
      { key: "health", head: t("columns.health"), sort: "state", cell: (node) => <AxisStatus axis={healthOf(node)} /> },
      {
        key: "cpu",
        head: t("columns.cpu"),
        align: "right",
        cell: (node) =>
          node.metrics && node.agent.connected ? (
            <Meter percent={node.metrics.cpu_pct} limit={cpuLimit} text={format.percent(node.metrics.cpu_pct)} />
          ) : (
            <None />
          ),
      },
      {
        key: "memory",
        head: t("columns.memory"),
        align: "right",
        cell: (node) =>
          node.metrics && node.agent.connected && node.metrics.mem_total > 0 ? (
            <Meter
              percent={(100 * node.metrics.mem_used) / node.metrics.mem_total}
              limit={90}
              text={format.percent((100 * node.metrics.mem_used) / node.metrics.mem_total)}
            />
          ) : (
            <None />
          ),
      },
      {
        key: "connections",
        head: t("columns.connections"),
        align: "right",
        cell: (node) => (node.metrics && node.agent.connected ? format.number(node.metrics.tcp_established) : <None />),
      },
      {
        key: "traffic",
        head: t("columns.traffic", { unit: bits.unit }),
        align: "right",
        cell: (node) => <Traffic node={node} write={bits.write} />,
      },
      {
        key: "agent",
        head: t("columns.agent"),
        cell: (node) =>
          node.agent.version ? (
            <span className={classes.version}>
              {node.agent.version}
              <UpdateMark state={node.agent.update_state} />
            </span>
          ) : (
            <None />
          ),
      },
      {
        key: "tags",
        head: t("columns.tags"),
        cell: (node) => (
          <span className={classes.tags}>
            {node.tags.slice(0, 3).map((tag) => (
              <button key={tag} type="button" className={classes.tagButton} onClick={() => onFilter({ tag })}>
                <Tag>{tag}</Tag>
              </button>
            ))}
            {node.tags.length > 3 && <span className="dim num">+{node.tags.length - 3}</span>}
          </span>
        ),
      },
    ],
    [t, format, onFilter, bits],
  );
}

function AxisStatus({ axis }: { axis: ReturnType<typeof configOf> }) {
  const { t } = useTranslation("nodes");
  return (
    <Status kind={axis.glyph} inTable>
      {t(axis.word)}
    </Status>
  );
}

function Traffic({ node, write }: { node: Node; write: (value: number) => string }) {
  if (!node.metrics || !node.agent.connected) return <None />;
  return (
    <>
      <span className="soft">{write(node.metrics.net_rx_bps)} /</span> {write(node.metrics.net_tx_bps)}
    </>
  );
}

/** Only what is not usual is marked: a newer agent, one on its way, one that did not hold. */
function UpdateMark({ state }: { state: Node["agent"]["update_state"] }) {
  const { t } = useTranslation("nodes");
  if (state === "current") return null;
  if (state === "available") return <IconArrowUp size={14} stroke={1.8} aria-label={t("update.available")} />;
  return <Glyph kind={state === "updating" ? "applying" : "failed"} label={t(`update.${state}`)} />;
}

function None() {
  return <span className="dim">—</span>;
}

function NodeMenu({ node, block, acts }: { node: Node; block: string | undefined; acts: NodeActs }) {
  const { t } = useTranslation("nodes");
  const inMaintenance = node.state === "maintenance";
  return (
    <RowMenu name={node.name}>
      {block && <Menu.Label>{block}</Menu.Label>}
      <Menu.Item component={Link} to={`/nodes/${node.id}`}>
        {t("acts.open")}
      </Menu.Item>
      <Menu.Item disabled={block !== undefined || !node.agent.connected} onClick={() => acts.restart(node)}>
        {t("acts.restart")}
      </Menu.Item>
      <Menu.Item disabled={block !== undefined} onClick={() => acts.maintain(node, !inMaintenance)}>
        {inMaintenance ? t("acts.endMaintenance") : t("acts.maintain")}
      </Menu.Item>
      <Menu.Divider />
      <Menu.Item data-danger disabled={block !== undefined} onClick={() => acts.remove(node)}>
        {t("acts.delete")}
      </Menu.Item>
    </RowMenu>
  );
}

function PhoneNode({ node }: { node: Node }) {
  const { t } = useTranslation("nodes");
  const format = useFormat();
  const [config, health] = [configOf(node), healthOf(node)];
  return (
    <>
      <div className={classes.phoneLine}>
        <NameCell place={node.city || undefined}>
          <Link to="/nodes/$id" params={{ id: node.id }} className={classes.phoneName}>
            {node.name}
          </Link>
        </NameCell>
        <Status kind={health.glyph}>{t(health.word)}</Status>
      </div>
      <div className={classes.phoneLine}>
        <Status kind={config.glyph}>{t(config.word)}</Status>
        <span className="dim num">
          {node.agent.connected && node.metrics ? (
            <>
              CPU <span className="soft">{format.percent(node.metrics.cpu_pct)}</span>
            </>
          ) : node.agent.last_seen_at ? (
            <>
              {t("lastSeen")} <RelativeTime at={node.agent.last_seen_at} />
            </>
          ) : (
            t("neverSeen")
          )}
        </span>
      </div>
    </>
  );
}
