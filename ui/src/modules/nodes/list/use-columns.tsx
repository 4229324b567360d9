import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { RelativeTime } from "@/components/text/relative-time";
import { NameCell } from "@/components/table/name-cell";
import type { Column } from "@/components/table/columns";
import { useFormat } from "@/text/use-format";
import { configOf, healthOf } from "../shared/node-status";
import type { Node } from "../shared/types";
import { AgentCell, AxisStatus, CpuCell, MemoryCell, None, SessionsCell, SparkCell, Tags, TrafficCell } from "./cells";
import type { NodesFilter } from "./nodes-filter";

/** What the list can show of a node; one unit of speed for the whole column. */
export function useColumns(rows: readonly Node[], onFilter: (change: Partial<NodesFilter>) => void): Column<Node>[] {
  const { t } = useTranslation("nodes");
  const format = useFormat();
  const largest = Math.max(
    0,
    ...rows.map((node) => Math.max(node.metrics?.net_rx_bps ?? 0, node.metrics?.net_tx_bps ?? 0)),
  );
  const power = Math.floor(Math.log10(Math.max(1, largest)) / 3);
  return useMemo(() => {
    const bits = format.commonBits(1000 ** power);
    return [
      {
        key: "name",
        head: t("columns.name"),
        sort: "name",
        cell: (node) => (
          <NameCell place={node.city || node.address} title={node.name}>
            <Link to="/nodes/$id" params={{ id: node.id }}>
              {node.name}
            </Link>
          </NameCell>
        ),
      },
      {
        key: "config",
        head: t("columns.config"),
        width: 136,
        cell: (node) => <AxisStatus axis={configOf(node)} t={t} />,
      },
      {
        key: "health",
        head: t("columns.health"),
        width: 128,
        sort: "state",
        cell: (node) => <AxisStatus axis={healthOf(node)} t={t} why={node.state === "online" ? [] : node.reasons} />,
      },
      {
        key: "cpu",
        head: t("columns.cpu"),
        width: 98,
        align: "right",
        sort: "cpu_pct",
        drop: 1,
        cell: (node) => <CpuCell node={node} />,
      },
      {
        key: "memory",
        head: t("columns.memory"),
        width: 92,
        align: "right",
        extra: true,
        cell: (node) => <MemoryCell node={node} />,
      },
      {
        key: "sessions",
        head: t("columns.sessions"),
        width: 76,
        align: "right",
        drop: 2,
        cell: (node) => <SessionsCell node={node} />,
      },
      {
        key: "traffic",
        head: t("columns.traffic", { unit: bits.unit }),
        width: 138,
        align: "right",
        sort: "net_tx_bps",
        drop: 3,
        cell: (node) => <TrafficCell node={node} write={bits.write} />,
      },
      { key: "spark", head: t("columns.spark"), width: 92, drop: 5, cell: (node) => <SparkCell node={node} t={t} /> },
      { key: "agent", head: t("columns.agent"), width: 72, drop: 4, cell: (node) => <AgentCell node={node} /> },
      {
        key: "tags",
        head: t("columns.tags"),
        width: 96,
        drop: 6,
        cell: (node) => <Tags node={node} onTag={onFilter} t={t} />,
      },
      {
        key: "roles",
        head: t("columns.roles"),
        width: 116,
        extra: true,
        cell: (node) => node.roles.map((role) => t(`role.${role}`, { defaultValue: role })).join(", ") || <None />,
      },
      {
        key: "place",
        head: t("columns.place"),
        width: 168,
        extra: true,
        sort: "country_code",
        cell: (node) =>
          [node.country_code === "XX" ? "" : node.country_code, node.region].filter(Boolean).join(", ") || <None />,
      },
      {
        key: "address",
        head: t("columns.address"),
        width: 150,
        extra: true,
        cell: (node) => <span className="mono">{node.address}</span>,
      },
      {
        key: "connections",
        head: t("columns.connections"),
        width: 112,
        align: "right",
        extra: true,
        cell: (node) => (node.metrics && node.agent.connected ? format.number(node.metrics.tcp_established) : <None />),
      },
      {
        key: "seen",
        head: t("columns.seen"),
        width: 120,
        extra: true,
        sort: "last_seen_at",
        cell: (node) => (node.agent.last_seen_at ? <RelativeTime at={node.agent.last_seen_at} /> : <None />),
      },
    ];
  }, [t, format, onFilter, power]);
}
