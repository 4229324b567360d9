import { useTranslation } from "react-i18next";
import { useFormat } from "@/text/use-format";
import { barsText, letterOf, type Bars } from "./days";
import classes from "./history-bars.module.css";

const step = 2;
const height = 18;
const shortest = 5;

/** All bars of one state are one path, so that a row of the list is few elements and not ninety. */
function pathOf(states: string, letter: string): string {
  const top = letter === letterOf.unknown ? height - shortest : 0;
  let path = "";
  for (let at = 0; at < states.length; at += 1) {
    if (states[at] === letter) path += `M${at * step + 0.75} ${top}V${height}`;
  }
  return path;
}

/** One bar for each day, the oldest first. A day that nothing is known of is a stump: neither a gap nor green. */
export function HistoryBars({ bars }: { bars: Bars }) {
  const { t } = useTranslation("health");
  const format = useFormat();
  if (bars.states === "") return <span className="dim">—</span>;
  const width = bars.states.length * step;
  return (
    <svg className={classes.bars} width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img">
      <title>{barsText(t, bars, format.number)}</title>
      {Object.entries(letterOf).map(([state, letter]) => {
        const path = pathOf(bars.states, letter);
        return path && <path key={state} d={path} data-state={state} />;
      })}
    </svg>
  );
}
