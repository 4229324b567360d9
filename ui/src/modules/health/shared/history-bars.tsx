import type { State } from "./api";
import classes from "./history-bars.module.css";

export type Day = State | "maintenance";

const step = 2;
const height = 18;
const shortest = 5;

/** What stands in one path: all bars of one state, so that a row of the list is few elements and not ninety. */
function pathOf(days: readonly Day[], state: Day): string {
  const top = state === "unknown" ? height - shortest : 0;
  return days.flatMap((day, index) => (day === state ? [`M${index * step + 0.75} ${top}V${height}`] : [])).join("");
}

const drawn: Day[] = ["up", "degraded", "down", "unknown", "maintenance"];

/** One bar for each day, the oldest first. A day without a look is a stump, not a gap and not green. */
export function HistoryBars({ days, label }: { days: readonly Day[]; label: string }) {
  const width = days.length * step;
  return (
    <svg
      className={classes.bars}
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={label}
    >
      {drawn.map((state) => {
        const path = pathOf(days, state);
        return path && <path key={state} d={path} data-state={state} />;
      })}
    </svg>
  );
}
