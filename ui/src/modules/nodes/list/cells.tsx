import { IconArrowUp } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Meter, Sparkline } from "@/components/chart/spark";
import { Glyph } from "@/components/status/glyph";
import { Status, Tag } from "@/components/status/status";
import { useFormat } from "@/text/use-format";
import { useSpark } from "../shared/fleet";
import { useReading } from "../shared/reading";
import { cpuLimit, type Axis } from "../shared/node-status";
import type { Node } from "../shared/types";
import type { NodesFilter } from "./nodes-filter";
import classes from "./nodes.module.css";

const memoryLimit = 90;

/** What all cells of a column say comes from the column: a hook for it in each cell would cost most of the cell. */
type Say = (key: string, about?: Record<string, string>) => string;

export function AxisStatus({ axis, t, why = [] }: { axis: Axis; t: Say; why?: readonly string[] }) {
  return (
    <span title={why.map((reason) => t(`reason.${reason}`, { defaultValue: reason })).join(". ") || undefined}>
      <Status kind={axis.glyph} inTable>
        {t(axis.word)}
      </Status>
    </span>
  );
}

export function None() {
  return <span className="dim">—</span>;
}

/** A figure that came too long ago is still shown, quietly. */
function Aged({ stale, children }: { stale: boolean; children: React.ReactNode }) {
  return stale ? <Old>{children}</Old> : children;
}

function Old({ children }: { children: React.ReactNode }) {
  const { t } = useTranslation("nodes");
  return (
    <span className={classes.stale} title={t("stale")}>
      {children}
    </span>
  );
}

export function CpuCell({ node }: { node: Node }) {
  const format = useFormat();
  const reading = useReading(node);
  if (!reading) return <None />;
  return (
    <Aged stale={reading.stale}>
      <Meter percent={reading.cpu} limit={cpuLimit} text={format.percent(Math.round(reading.cpu))} />
    </Aged>
  );
}

export function MemoryCell({ node }: { node: Node }) {
  const format = useFormat();
  const reading = useReading(node);
  if (!reading || reading.memory === null) return <None />;
  return (
    <Aged stale={reading.stale}>
      <Meter percent={reading.memory} limit={memoryLimit} text={format.percent(Math.round(reading.memory))} />
    </Aged>
  );
}

export function SessionsCell({ node }: { node: Node }) {
  const format = useFormat();
  const reading = useReading(node);
  if (!reading || reading.sessions === null) return <None />;
  return <Aged stale={reading.stale}>{format.number(reading.sessions)}</Aged>;
}

export function TrafficCell({ node, write }: { node: Node; write: (value: number) => string }) {
  const reading = useReading(node);
  if (!reading) return <None />;
  return (
    <Aged stale={reading.stale}>
      <span className="soft">{write(reading.rx)} /</span> {write(reading.tx)}
    </Aged>
  );
}

export function SparkCell({ node, t }: { node: Node; t: Say }) {
  const points = useSpark(node.id);
  if (!points || points.every((point) => point === null)) return <None />;
  return <Sparkline values={points} width={76} label={t("sparkOf", { name: node.name })} />;
}

export function AgentCell({ node }: { node: Node }) {
  if (!node.agent.version) return <None />;
  return (
    <span className={classes.version} title={node.agent.version}>
      <span>{node.agent.version}</span>
      {node.agent.update_state !== "current" && <UpdateMark state={node.agent.update_state} />}
    </span>
  );
}

/** Only what is not usual is marked: a newer agent, one on its way, one that did not hold. */
function UpdateMark({ state }: { state: Exclude<Node["agent"]["update_state"], "current"> }) {
  const { t } = useTranslation("nodes");
  if (state === "available") return <IconArrowUp size={14} stroke={1.8} aria-label={t("update.available")} />;
  return <Glyph kind={state === "updating" ? "applying" : "failed"} label={t(`update.${state}`)} />;
}

const tagsShown = 1;

export function Tags({ node, onTag, t }: { node: Node; onTag: (change: Partial<NodesFilter>) => void; t: Say }) {
  const rest = node.tags.slice(tagsShown);
  return (
    <span className={classes.tags}>
      {node.tags.slice(0, tagsShown).map((tag) => (
        <button
          key={tag}
          type="button"
          className={classes.tagButton}
          aria-label={t("onlyTag", { tag })}
          onClick={() => onTag({ tag })}
        >
          <Tag>{tag}</Tag>
        </button>
      ))}
      {rest.length > 0 && (
        <span className="dim num" title={rest.join(", ")}>
          +{rest.length}
        </span>
      )}
    </span>
  );
}
