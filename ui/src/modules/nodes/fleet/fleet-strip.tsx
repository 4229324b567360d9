import { Tooltip } from "@mantine/core";
import { Link, useNavigate } from "@tanstack/react-router";
import type { MouseEvent } from "react";
import { useTranslation } from "react-i18next";
import { Glyph, type GlyphKind } from "@/components/status/glyph";
import { useFormat } from "@/text/use-format";
import classes from "./fleet.module.css";
import { byRegion } from "./by-region";
import { healthOf } from "../shared/node-status";
import type { Node, NodeSummary } from "../shared/types";

const legend: { glyph: GlyphKind; word: string; states: (keyof NodeSummary["states"])[] }[] = [
  { glyph: "healthy", word: "health.online", states: ["online"] },
  { glyph: "degraded", word: "health.degraded", states: ["degraded"] },
  { glyph: "maintenance", word: "health.maintenance", states: ["maintenance"] },
  { glyph: "no-data", word: "health.pending", states: ["pending"] },
  { glyph: "down", word: "health.offline", states: ["offline"] },
];

/** One cell per node: colour is health, fill height is CPU. */
export function FleetStrip({
  nodes,
  total,
  summary,
}: {
  nodes: Node[];
  total: number;
  summary: NodeSummary | undefined;
}) {
  const { t } = useTranslation("nodes");
  const counted = legend
    .map((item) => ({
      ...item,
      count: item.states.reduce<number>((sum, state) => sum + (summary?.states[state] ?? 0), 0),
    }))
    .filter((item) => item.count > 0);
  return (
    <section className={classes.fleet} aria-label={t("fleet.title")}>
      <div className={classes.head}>
        <h2>{t("fleet.title")}</h2>
        <ul className={classes.legend}>
          {counted.map((item) => (
            <li key={item.word}>
              <Glyph kind={item.glyph} />
              {t(item.word)} <b className="num">{item.count}</b>
            </li>
          ))}
          <li className={classes.note}>{t("fleet.fill")}</li>
        </ul>
      </div>
      <div className={classes.regions}>
        {byRegion(nodes).map((region) => (
          <div key={region.name} className={classes.region}>
            <Cells nodes={region.nodes} />
            <p className={classes.place}>
              <span>{region.name || t("fleet.elsewhere")}</span>{" "}
              <b className="num">{`${region.nodes.filter((node) => node.state === "online").length}/${region.nodes.length}`}</b>
            </p>
          </div>
        ))}
      </div>
      {nodes.length < total && (
        <p className={classes.rest}>
          <Link to="/nodes">{t("fleet.rest", { count: total - nodes.length })}</Link>
        </p>
      )}
    </section>
  );
}

/** A picture for the pointer: the list of nodes tells the same to keyboard and screen reader. */
function Cells({ nodes }: { nodes: Node[] }) {
  const navigate = useNavigate();
  const open = (event: MouseEvent<HTMLElement>) => {
    const id = (event.target as HTMLElement).closest<HTMLElement>("[data-node]")?.dataset.node;
    if (id) void navigate({ to: "/nodes/$id", params: { id } });
  };
  return (
    <div className={classes.cells} onClick={open} aria-hidden>
      {nodes.map((node) => (
        <Cell key={node.id} node={node} />
      ))}
    </div>
  );
}

function Cell({ node }: { node: Node }) {
  const { t } = useTranslation("nodes");
  const format = useFormat();
  const health = healthOf(node);
  const cpu = node.agent.connected && node.metrics ? node.metrics.cpu_pct : undefined;
  const words = [node.name, t(health.word), cpu !== undefined && `CPU ${format.percent(cpu)}`]
    .filter(Boolean)
    .join(", ");
  const blank = health.glyph === "no-data" || health.glyph === "down";
  return (
    <Tooltip label={words}>
      <span className={classes.cell} data-node={node.id} data-health={health.glyph}>
        {!blank && cpu !== undefined && <span style={{ height: `${Math.max(7, Math.min(100, cpu))}%` }} />}
        {blank && <Glyph kind={health.glyph} size={11} />}
      </span>
    </Tooltip>
  );
}
