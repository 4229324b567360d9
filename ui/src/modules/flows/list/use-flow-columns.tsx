import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { SlotPart, useSlot } from "@/components/slots/slots";
import { Tag } from "@/components/status/status";
import type { Column } from "@/components/table/data-table";
import { RelativeTime } from "@/components/text/relative-time";
import { useFormat, useLanguage } from "@/text/use-format";
import { listenerLine } from "../drawing/drawing";
import { usePlaces } from "../editor/editor-context";
import type { Flow, FlowLoad } from "../shared/api";
import { BypassMark, FlowConfig, FlowHealth } from "../shared/flow-states";
import classes from "./list.module.css";
import type { FlowLoads } from "./use-flow-loads";

/** The columns of the list; on a narrow window the least needed go first. */
export function useFlowColumns(rows: readonly Flow[], loads: FlowLoads): Column<Flow>[] {
  const { t } = useTranslation("flows");
  const format = useFormat();
  const bits = format.commonBits(
    Math.max(0, ...[...loads.values()].flatMap((load) => [load.up_bps ?? 0, load.down_bps ?? 0])),
  );
  return [
    {
      key: "name",
      head: t("list.flow"),
      sort: "name",
      cell: (flow) => (
        <span className={classes.name}>
          <Link to={`/flows/${flow.id}`} title={flow.name}>
            {flow.name}
          </Link>
          <span>{listenerLine(flow.entry?.listener ?? undefined) || t("block.noListener")}</span>
        </span>
      ),
    },
    { key: "config", head: t("list.config"), width: 190, cell: (flow) => <FlowConfig flow={flow} inTable /> },
    { key: "health", head: t("list.health"), width: 124, cell: (flow) => <FlowHealth flow={flow} inTable /> },
    { key: "version", head: t("list.version"), width: 84, drop: 1, cell: (flow) => <VersionCell flow={flow} /> },
    {
      key: "applied",
      head: t("list.lastApply"),
      sort: "installed_at",
      width: 112,
      drop: 4,
      cell: (flow) =>
        flow.installed_at ? <RelativeTime at={flow.installed_at} bare /> : <span className="dim">—</span>,
    },
    {
      key: "entry",
      head: t("list.entry"),
      width: 176,
      drop: 6,
      cell: (flow) =>
        flow.entry?.host ? (
          <span className={`mono ${classes.host}`} title={flow.entry.host}>
            {flow.entry.host}
          </span>
        ) : (
          <span className="dim">—</span>
        ),
    },
    { key: "nodes", head: t("list.nodes"), width: 150, drop: 5, cell: (flow) => <NodesCell flow={flow} /> },
    {
      key: "clients",
      head: t("list.clients"),
      align: "right",
      width: 84,
      drop: 3,
      cell: (flow) => flow.client_counts.total,
    },
    {
      key: "sessions",
      head: t("list.sessions"),
      align: "right",
      width: 84,
      drop: 2,
      cell: (flow) => <Measured value={loads.get(flow.id)?.sessions} write={format.number} />,
    },
    {
      key: "traffic",
      head: t("list.traffic", { unit: bits.unit }),
      align: "right",
      width: 128,
      drop: 2,
      cell: (flow) => <TrafficCell load={loads.get(flow.id)} write={bits.write} />,
    },
    { key: "tags", head: t("list.tag"), width: 150, extra: true, cell: (flow) => <TagsCell flow={flow} /> },
    ...useAddedColumns(rows),
  ];
}

function useAddedColumns(rows: readonly Flow[]): Column<Flow>[] {
  const language = useLanguage();
  const ids = rows.map((flow) => flow.id);
  return useSlot("flowColumns").map((entry): Column<Flow> => ({
    key: entry.key,
    head: entry.label[language],
    width: 120,
    drop: 7,
    cell: (flow) => <SlotPart entry={entry} props={{ id: flow.id, ids }} />,
  }));
}

export function VersionCell({ flow }: { flow: Flow }) {
  if (flow.installed_version_number === null) return <span className="dim">—</span>;
  return (
    <span className={classes.version}>
      v{flow.installed_version_number}
      <BypassMark checks={flow.bypassed_checks} />
    </span>
  );
}

/** Nothing where nobody measures: that is no zero. */
function Measured({ value, write }: { value: number | null | undefined; write: (value: number) => string }) {
  return value === null || value === undefined ? <span className="dim">—</span> : write(value);
}

function TrafficCell({ load, write }: { load: FlowLoad | undefined; write: (value: number) => string }) {
  if (!load || load.down_bps === null) return <span className="dim">—</span>;
  return (
    <>
      {write(load.down_bps)} <span className="soft">/ {write(load.up_bps ?? 0)}</span>
    </>
  );
}

function TagsCell({ flow }: { flow: Flow }) {
  if (flow.tags.length === 0) return <span className="dim">—</span>;
  return (
    <span className={classes.tags} title={flow.tags.join(", ")}>
      {flow.tags.map((tag) => (
        <Tag key={tag}>{tag}</Tag>
      ))}
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
