import classes from "./spark.module.css";

/** A trend in a line of text. A gap in the data stays a gap. */
export function Sparkline({
  values,
  width = 92,
  height = 22,
  label,
}: {
  values: readonly (number | null)[];
  width?: number;
  height?: number;
  label: string;
}) {
  const { paths, end } = sparkPaths(values, width, height);
  return (
    <svg
      className={classes.spark}
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={label}
    >
      {paths.map((path, index) => (
        <path key={index} d={path} />
      ))}
      {end && <circle cx={end[0]} cy={end[1]} r="1.75" />}
    </svg>
  );
}

/** One path per run of known values, and the last known point. */
export function sparkPaths(
  values: readonly (number | null)[],
  width: number,
  height: number,
): { paths: string[]; end: [number, number] | undefined } {
  const known = values.filter((value): value is number => value !== null);
  if (known.length < 2) return { paths: [], end: undefined };
  const low = Math.min(...known);
  const span = Math.max(...known) - low || 1;
  const paths: string[] = [];
  let run = "";
  let end: [number, number] | undefined;
  values.forEach((value, index) => {
    if (value === null) {
      if (run) paths.push(run);
      run = "";
      return;
    }
    const point: [number, number] = [
      2 + (index / (values.length - 1)) * (width - 4),
      2 + (1 - (value - low) / span) * (height - 4),
    ];
    run += `${run ? "L" : "M"}${point[0].toFixed(1)} ${point[1].toFixed(1)}`;
    end = point;
  });
  if (run) paths.push(run);
  return { paths, end };
}

/** A small bar with its number; coloured only above the limit. */
export function Meter({ percent, limit, text }: { percent: number; limit: number; text: string }) {
  return (
    <span className={classes.meterCell}>
      <span className={classes.meter} aria-hidden data-over={percent > limit || undefined}>
        <span style={{ width: `${Math.min(100, percent)}%` }} />
      </span>
      <span className="num">{text}</span>
    </span>
  );
}

/** A thin bar that shows a part of a whole; red where it ended badly. */
export function Progress({ percent, label, tone }: { percent: number; label: string; tone?: "warn" | "crit" }) {
  return (
    <div
      className={classes.progress}
      data-tone={tone}
      role="progressbar"
      aria-valuenow={Math.round(percent)}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-label={label}
    >
      <span style={{ width: `${Math.min(100, Math.max(0, percent))}%` }} />
    </div>
  );
}
