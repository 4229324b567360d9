import { useTranslation } from "react-i18next";
import type { Block, Drawing, Position } from "../drawing/drawing";
import { blockWidth, headHeight, positionsOf } from "../drawing/layout";
import { useBlockName } from "../editor/editor-context";
import type { ApplyStep } from "../shared/api";
import { nodeDoing } from "./apply-at";
import classes from "./replay.module.css";

const margin = 12;
const longestName = 20;

/** The drawing that is installed, each block with what its node does. It is looked at only. */
export function DrawingMap({ drawing, steps }: { drawing: Drawing; steps: readonly ApplyStep[] }) {
  const { t } = useTranslation("flows");
  const nameOf = useBlockName();
  const places = closeColumns(positionsOf(drawing));
  const xs = Object.values(places).map(({ x }) => x);
  const ys = Object.values(places).map(({ y }) => y);
  const left = Math.min(...xs) - margin;
  const top = Math.min(...ys) - margin;
  const width = Math.max(...xs) + blockWidth + margin - left;
  const height = Math.max(...ys) + headHeight + margin - top;
  const doing = (block: Block) => {
    const step = steps.find((one) => one.node_id === block.node_id);
    return step && nodeDoing(step);
  };
  const told = drawing.nodes.flatMap((block) => {
    const now = doing(block);
    return now ? [`${nameOf(block)}: ${t(`replay.doing.${now}`)}`] : [];
  });
  return (
    // A region that scrolls must be reachable by keyboard.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={classes.map} role="region" aria-label={t("replay.map")} tabIndex={0}>
      <svg
        viewBox={`${left} ${top} ${width} ${height}`}
        style={{ minWidth: width * 0.72, maxWidth: width }}
        role="img"
        aria-label={told.join("; ")}
      >
        {drawing.edges.map((edge, index) => {
          const from = places[edge.from];
          const to = places[edge.to];
          if (!from || !to) return null;
          return <path key={index} className={classes.line} d={lineBetween(from, to)} />;
        })}
        {drawing.nodes.map((block) => {
          const { x, y } = places[block.key]!;
          const now = doing(block);
          return (
            <g key={block.key} className={classes.block} data-doing={now} transform={`translate(${x} ${y})`}>
              <rect width={blockWidth} height={headHeight} rx={8} />
              <text x={14} y={now ? 22 : 31}>
                {shortened(nameOf(block))}
              </text>
              {now && (
                <text x={14} y={40} className={classes.doing}>
                  {t(`replay.doing.${now}`)}
                </text>
              )}
            </g>
          );
        })}
      </svg>
    </div>
  );
}

const columnStep = blockWidth + 64;

/** Moves columns together: the rules that stand between blocks in the editor are not drawn here. */
function closeColumns(places: Record<string, Position>): Record<string, Position> {
  const starts: number[] = [];
  for (const { x } of Object.values(places).sort((a, b) => a.x - b.x))
    if (starts.length === 0 || x >= starts.at(-1)! + blockWidth) starts.push(x);
  const columnAt = (x: number) => starts.findLastIndex((start) => start <= x);
  return Object.fromEntries(Object.entries(places).map(([key, { x, y }]) => [key, { x: columnAt(x) * columnStep, y }]));
}

function lineBetween(from: { x: number; y: number }, to: { x: number; y: number }): string {
  const start = { x: from.x + blockWidth, y: from.y + headHeight / 2 };
  const end = { x: to.x, y: to.y + headHeight / 2 };
  const reach = Math.max(24, Math.abs(end.x - start.x) * 0.42);
  return `M ${start.x} ${start.y} C ${start.x + reach} ${start.y} ${end.x - reach} ${end.y} ${end.x} ${end.y}`;
}

const shortened = (name: string) => (name.length > longestName ? `${name.slice(0, longestName - 1)}…` : name);
