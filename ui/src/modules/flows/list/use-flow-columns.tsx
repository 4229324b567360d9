import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { SlotPart, useSlot } from "@/components/slots/slots";
import { Tag } from "@/components/status/status";
import type { Column } from "@/components/table/data-table";
import { RelativeTime } from "@/components/text/relative-time";
import { useLanguage } from "@/text/use-format";
import { listenerLine } from "../drawing/drawing";
import { usePlaces } from "../editor/editor-context";
import type { Flow } from "../shared/api";
import { BypassMark, FlowConfig, FlowHealth } from "../shared/flow-states";
import classes from "./list.module.css";

/** The columns of the list; on a narrow window the least needed go first. */
export function useFlowColumns(rows: readonly Flow[]): Column<Flow>[] {
  const { t } = useTranslation("flows");
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
      drop: 3,
      cell: (flow) =>
        flow.installed_at ? <RelativeTime at={flow.installed_at} bare /> : <span className="dim">—</span>,
    },
    {
      key: "entry",
      head: t("list.entry"),
      width: 176,
      drop: 5,
      cell: (flow) =>
        flow.entry?.host ? (
          <span className={`mono ${classes.host}`} title={flow.entry.host}>
            {flow.entry.host}
          </span>
        ) : (
          <span className="dim">—</span>
        ),
    },
    { key: "nodes", head: t("list.nodes"), width: 150, drop: 4, cell: (flow) => <NodesCell flow={flow} /> },
    {
      key: "clients",
      head: t("list.clients"),
      align: "right",
      width: 84,
      drop: 2,
      cell: (flow) => flow.client_counts.total,
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
    drop: 6,
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
