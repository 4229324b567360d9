import { BaseEdge, EdgeLabelRenderer, getBezierPath, type EdgeProps } from "@xyflow/react";
import { memo } from "react";
import classes from "./canvas.module.css";
import type { WayLine } from "./canvas-model";

/** A way on the canvas; lit while it lies on a path through what is chosen. */
export const WayEdge = memo(function WayEdge({ sourceX, sourceY, targetX, targetY, sourcePosition, targetPosition, data, selected }: EdgeProps<WayLine>) {
  const [path, labelX, labelY] = getBezierPath({ sourceX, sourceY, targetX, targetY, sourcePosition, targetPosition, curvature: 0.42 });
  const lit = data?.lit || selected;
  return (
    <>
      <BaseEdge path={path} interactionWidth={16} className={lit ? classes.lineLit : classes.line} />
      {data?.label && (
        <EdgeLabelRenderer>
          <span className={classes.label} data-lit={lit || undefined} style={{ transform: `translate(-50%, -50%) translate(${labelX}px, ${labelY}px)` }}>
            {data.label}
          </span>
        </EdgeLabelRenderer>
      )}
    </>
  );
});
