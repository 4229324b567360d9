import { useQueries } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Fragment, useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useAccess } from "@/api/access";
import { ActionLink } from "@/components/action/action";
import { Card, Facts, Row, Rows } from "@/components/layout/card";
import { Columns } from "@/components/layout/columns";
import { Glyph } from "@/components/status/glyph";
import { Carried, sumOf } from "@/components/text/carried";
import { RelativeTime } from "@/components/text/relative-time";
import { StaleTag } from "@/components/state/states";
import { placeText } from "@/text/place";
import { useFormat, useLanguage } from "@/text/use-format";
import { nodeFlowQuery } from "../shared/api";
import { useReading } from "../shared/reading";
import { NodeCharts } from "./node-charts";
import { TrafficCard } from "./traffic-card";
import classes from "./node.module.css";
import type { Range } from "./ranges";
import type { Listener, NodeDetail } from "../shared/types";

export function OverviewTab({ node, range, block }: { node: NodeDetail; range: Range; block: string | undefined }) {
  const { t } = useTranslation("nodes");
  return (
    <Columns
      width="narrow"
      side={
        <>
          <AgentCard node={node} />
          <CoreCard node={node} />
          <TrafficCard traffic={node.traffic} />
          <HostCard node={node} />
        </>
      }
    >
      {node.agent.enrolled_at === null ? (
        <Card>
          <div className={classes.unbound}>
            <div>
              <p className="strong">{t("unbound.title")}</p>
              <p className="soft">{t("unbound.text")}</p>
            </div>
            {!block && (
              <ActionLink to="/nodes/new" search={{ id: node.id }} kind="filled">
                {t("unbound.act")}
              </ActionLink>
            )}
          </div>
        </Card>
      ) : (
        <NodeCharts node={node} range={range} />
      )}
      <FlowsCard node={node} />
    </Columns>
  );
}

/** The flows that serve here, each with what its listeners on this node carry. */
function FlowsCard({ node }: { node: NodeDetail }) {
  const ids = node.flow_ids;
  const { t } = useTranslation("nodes");
  const { can } = useAccess();
  const readable = can("connection_units.view", "connection_units.edit", "connection_units.apply");
  const flows = useQueries({ queries: ids.map((id) => ({ ...nodeFlowQuery(id), enabled: readable })) });
  return (
    <Card title={t("flows.title")} aside={<span className="num">{ids.length}</span>} flush>
      {ids.length === 0 ? (
        <p className={classes.quiet}>{t("flows.none")}</p>
      ) : (
        <Rows label={t("flows.title")}>
          {ids.map((id, index) => (
            <Row key={id}>
              <FlowHere
                id={id}
                name={flows[index]?.data?.name}
                listeners={node.listeners.filter((one) => one.flow_id === id)}
              />
            </Row>
          ))}
        </Rows>
      )}
    </Card>
  );
}

/** A flow, and each of its listeners by the port that it opens; one alone stands in the line of the flow. */
function FlowHere({ id, name, listeners }: { id: string; name: string | undefined; listeners: Listener[] }) {
  const only = listeners.length === 1 ? listeners[0] : undefined;
  return (
    <div className={classes.flow}>
      <Glyph kind="in-sync" />
      <span className={classes.flowName}>
        <Link to={`/flows/${id}`} className="strong">
          {name ?? id.slice(0, 8)}
        </Link>
        {only && <Port listener={only} />}
      </span>
      <span className={classes.flowLoad}>
        <Carried load={sumOf(listeners)} />
      </span>
      {!only &&
        listeners.map((listener) => (
          <Fragment key={listener.tag}>
            <span className={classes.flowName} data-listener>
              <Port listener={listener} />
            </span>
            <span className={classes.flowLoad}>
              <Carried load={listener} />
            </span>
          </Fragment>
        ))}
    </div>
  );
}

const l4 = { tcp: "tcp", udp: "udp", both: "tcp+udp" };

function Port({ listener }: { listener: Listener }) {
  const everywhere = listener.ip === "0.0.0.0" || listener.ip === "::";
  return (
    <span className="mono dim">
      {everywhere ? "" : `${listener.ip} `}
      {listener.ports}/{l4[listener.l4]}
    </span>
  );
}

const linkGlyphs = {
  never_enrolled: "no-data",
  connected: "healthy",
  stale: "no-data",
  lost: "down",
  revoked: "skipped",
} as const;

function AgentCard({ node }: { node: NodeDetail }) {
  const { t } = useTranslation("nodes");
  const format = useFormat();
  const language = useLanguage();
  const { agent } = node;
  const items = [
    { name: t("agent.version"), value: agent.version ? `${agent.version}, ${t(`update.${agent.update_state}`)}` : "—" },
    { name: t("agent.protocol"), value: agent.protocol || "—" },
    { name: t("agent.lastSeen"), value: agent.last_seen_at ? <RelativeTime at={agent.last_seen_at} /> : "—" },
    { name: t("agent.bound"), value: agent.enrolled_at ? format.date(agent.enrolled_at) : t("agent.notBound") },
    { name: t("agent.host"), value: [agent.hostname, agent.os, agent.arch].filter(Boolean).join(", ") || "—" },
    ...(node.place ? [{ name: t("agent.place"), value: placeText(node.place, language) }] : []),
  ];
  return (
    <Card
      title={t("agent.title")}
      right={
        <>
          <Glyph kind={linkGlyphs[agent.link]} size={11} />
          {t(`link.${agent.link}`)}
        </>
      }
    >
      <Facts items={items} />
    </Card>
  );
}

const coreGlyphs = {
  running: "healthy",
  stopped: "skipped",
  starting: "no-data",
  restarting: "degraded",
  failed: "down",
  unknown: "no-data",
} as const;

function CoreCard({ node }: { node: NodeDetail }) {
  const { t } = useTranslation("nodes");
  const format = useFormat();
  const { core } = node;
  const items = useMemo(
    () => [
      { name: t("coreCard.kind"), value: [core.kind, core.version].filter(Boolean).join(" ") || "—" },
      {
        name: t("coreCard.config"),
        value: t("coreCard.revisions", {
          installed: core.config_revision_installed,
          desired: core.config_revision_desired,
        }),
      },
      {
        name: t("coreCard.hash"),
        value: core.config_hash ? `${core.config_hash.slice(0, 4)}…${core.config_hash.slice(-4)}` : "—",
        mono: core.config_hash !== "",
      },
      { name: t("coreCard.uptime"), value: core.state === "running" ? format.uptime(core.uptime_s) : "—" },
    ],
    [core, format, t],
  );
  return (
    <Card
      title={t("coreCard.title")}
      right={
        <>
          <Glyph kind={coreGlyphs[core.state]} size={11} />
          {t(`core.${core.state}`)}
        </>
      }
    >
      <Facts items={items} />
      {core.error && <pre className={classes.error}>{core.error}</pre>}
    </Card>
  );
}

/** What the host measures now; it moves with the stream. */
function HostCard({ node }: { node: NodeDetail }) {
  const { t } = useTranslation("nodes");
  const format = useFormat();
  const reading = useReading(node);
  const { metrics } = node;
  if (!metrics || !reading) return null;
  const used = reading.memory === null ? metrics.mem_used : (reading.memory / 100) * metrics.mem_total;
  const at = new Date(reading.at).toISOString();
  const items = [
    { name: t("numbers.cpu"), value: format.percent(Math.round(reading.cpu)) },
    { name: t("numbers.load"), value: format.number(metrics.load1, 2) },
    {
      name: t("numbers.memory"),
      value: t("ofTotal", { used: format.bytes(used), total: format.bytes(metrics.mem_total) }),
    },
    {
      name: t("numbers.disk"),
      value: t("ofTotal", { used: format.bytes(metrics.disk_used), total: format.bytes(metrics.disk_total) }),
    },
    ...(reading.sessions === null ? [] : [{ name: t("numbers.sessions"), value: format.number(reading.sessions) }]),
    { name: t("numbers.tcp"), value: format.number(metrics.tcp_established) },
    { name: t("numbers.clock"), value: `${format.number(node.agent.clock_skew_ms / 1000, 1)} ${t("seconds")}` },
  ];
  return (
    <Card title={t("numbers.host")} right={reading.stale ? <StaleTag since={at} /> : <RelativeTime at={at} />}>
      <Facts items={items} />
    </Card>
  );
}
