import { BaseEdge, EdgeLabelRenderer, getBezierPath, type EdgeProps, type XYPosition } from "@xyflow/react";
import { memo } from "react";
import classes from "./canvas.module.css";
import type { WayLine } from "./canvas-model";

/** A way on the canvas; lit while it lies on a path through what is chosen. */
export const WayEdge = memo(function WayEdge({
  sourceX,
  sourceY,
  targetX,
  targetY,
  sourcePosition,
  targetPosition,
  data,
  selected,
}: EdgeProps<WayLine>) {
  const ends = { sourceX, sourceY, targetX, targetY, sourcePosition, targetPosition, curvature: 0.42 };
  const corners = data?.corners ?? [];
  const [path, labelX, labelY] =
    corners.length === 0
      ? getBezierPath(ends)
      : pathThrough([{ x: sourceX, y: sourceY }, ...corners, { x: targetX, y: targetY }]);
  const lit = data?.lit || selected;
  return (
    <>
      <BaseEdge
        path={path}
        interactionWidth={16}
        className={lit ? classes.lineLit : classes.line}
        style={data?.width === undefined ? undefined : { strokeWidth: data.width }}
      />
      {data?.label && (
        <EdgeLabelRenderer>
          <span
            className={`${classes.label} num`}
            data-lit={lit || undefined}
            style={{ transform: `translate(-50%, -50%) translate(${labelX}px, ${labelY}px)` }}
          >
            {data.label}
          </span>
        </EdgeLabelRenderer>
      )}
    </>
  );
});

/** A smooth path through corners, level at each of them; its label stands in the middle of the first bend. */
export function pathThrough(corners: XYPosition[]): [path: string, labelX: number, labelY: number] {
  const [start, ...rest] = corners as [XYPosition, XYPosition, ...XYPosition[]];
  const bends = rest.map(({ x, y }, at) => {
    const from = corners[at]!;
    const reach = Math.abs(x - from.x) / 2;
    return `C ${from.x + reach} ${from.y} ${x - reach} ${y} ${x} ${y}`;
  });
  return [`M ${start.x} ${start.y} ${bends.join(" ")}`, (start.x + rest[0]!.x) / 2, (start.y + rest[0]!.y) / 2];
}
