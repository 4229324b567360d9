import { useTranslation } from "react-i18next";
import { useBlockName } from "../editor/editor-context";
import type { Block, Drawing, Edge, Position } from "./drawing";
import classes from "./drawing-map.module.css";
import { blockWidth, headHeight, positionsOf } from "./layout";

const margin = 12;
const longestName = 20;
const longestWord = 27;

/** How a block or a way looks, and what is said of it. */
export interface Mark {
  look: string;
  word: string;
}

interface DrawingMapProps {
  drawing: Drawing;
  label: string;
  markOf: (block: Block) => Mark | undefined;
  /** How a way looks; as usual when left out. */
  lookOf?: (edge: Edge) => string | undefined;
}

/** A small picture of a drawing with something said of its blocks. It is looked at only. */
export function DrawingMap({ drawing, label, markOf, lookOf }: DrawingMapProps) {
  const { t } = useTranslation("flows");
  const nameOf = useBlockName();
  const places = closeColumns(positionsOf(drawing));
  const box = boxOf(Object.values(places));
  const told = drawing.nodes.flatMap((block) => {
    const mark = markOf(block);
    return mark ? [`${nameOf(block)}: ${mark.word}`] : [];
  });
  return (
    // A region that scrolls must be reachable by keyboard.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={classes.map} role="region" aria-label={label} tabIndex={0}>
      <svg
        viewBox={`${box.left} ${box.top} ${box.width} ${box.height}`}
        style={{ minWidth: box.width * 0.72, maxWidth: box.width }}
        role="img"
        aria-label={told.join("; ") || t("compare.same")}
      >
        {drawing.edges.map((edge, index) => {
          const [from, to] = [places[edge.from], places[edge.to]];
          if (!from || !to) return null;
          return <path key={index} className={classes.line} data-look={lookOf?.(edge)} d={lineBetween(from, to)} />;
        })}
        {drawing.nodes.map((block) => (
          <Box key={block.key} at={places[block.key]!} name={nameOf(block)} mark={markOf(block)} />
        ))}
      </svg>
    </div>
  );
}

function Box({ at, name, mark }: { at: Position; name: string; mark: Mark | undefined }) {
  return (
    <g className={classes.block} data-look={mark?.look} transform={`translate(${at.x} ${at.y})`}>
      <title>{mark ? `${name}: ${mark.word}` : name}</title>
      <rect width={blockWidth} height={headHeight} rx={8} />
      <text x={14} y={mark ? 22 : 31}>
        {shortened(name, longestName)}
      </text>
      {mark && (
        <text x={14} y={40} className={classes.word}>
          {shortened(mark.word, longestWord)}
        </text>
      )}
    </g>
  );
}

function boxOf(places: readonly Position[]) {
  const [xs, ys] = [places.map(({ x }) => x), places.map(({ y }) => y)];
  const left = Math.min(...xs) - margin;
  const top = Math.min(...ys) - margin;
  return {
    left,
    top,
    width: Math.max(...xs) + blockWidth + margin - left,
    height: Math.max(...ys) + headHeight + margin - top,
  };
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

function lineBetween(from: Position, to: Position): string {
  const start = { x: from.x + blockWidth, y: from.y + headHeight / 2 };
  const end = { x: to.x, y: to.y + headHeight / 2 };
  const reach = Math.max(24, Math.abs(end.x - start.x) * 0.42);
  return `M ${start.x} ${start.y} C ${start.x + reach} ${start.y} ${end.x - reach} ${end.y} ${end.x} ${end.y}`;
}

const shortened = (text: string, most: number) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
