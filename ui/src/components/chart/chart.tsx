import { useComputedColorScheme } from "@mantine/core";
import { IconChartLine, IconTable } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type uPlot from "uplot";
import { useFormat } from "@/text/use-format";
import { Action } from "@/components/action/action";
import { Card } from "@/components/layout/card";
import classes from "./chart.module.css";
import { labelledIndex, placeLabels, type ChartLabel, type ChartMark, type ChartSeries } from "./chart-data";

interface ChartProps {
  title: string;
  unit?: string;
  /** Seconds since 1970, evenly spaced. */
  times: number[];
  series: ChartSeries[];
  marks?: ChartMark[];
  /** The top of the scale, where it is fixed. */
  max?: number;
  axis: (value: number) => string;
  /** A range of seconds was chosen by dragging over the chart. */
  onZoom?: (from: number, to: number) => void;
}

/**
 * A time chart with direct labels: the newest values, or those under the cursor, and the moment that they are of.
 * All charts of a page share one cursor. The same numbers can be read as a table.
 */
export function ChartCard(props: ChartProps) {
  const { t } = useTranslation("app");
  const format = useFormat();
  const [asTable, setAsTable] = useState(false);
  const [cursor, setCursor] = useState<number>();
  const at = labelledIndex(props.series, cursor);
  const moment = at === undefined ? undefined : props.times[at];
  const known = props.series.some((item) => item.values.some((value) => value !== null));
  return (
    <Card
      title={props.title}
      aside={
        <>
          {props.unit}
          {moment !== undefined && !asTable && (
            <span className={`${classes.moment} num`} data-cursor={cursor !== undefined || undefined}>
              {format.moment(new Date(moment * 1000).toISOString())}
            </span>
          )}
        </>
      }
      right={
        known && (
          <Action
            kind="ghost"
            size="bar"
            iconOnly
            icon={asTable ? IconChartLine : IconTable}
            onClick={() => setAsTable(!asTable)}
          >
            {asTable ? t("chart.asChart") : t("chart.asTable")}
          </Action>
        )
      }
    >
      {!known ? (
        <p className={classes.none}>{t("chart.none")}</p>
      ) : asTable ? (
        <ChartTable {...props} />
      ) : (
        <ChartCanvas {...props} at={at} onCursor={setCursor} />
      )}
    </Card>
  );
}

const height = 148;
const labelWidth = 76;
const noMarks: ChartMark[] = [];

interface CanvasProps extends ChartProps {
  /** The time that the labels are of. */
  at: number | undefined;
  onCursor: (index: number | undefined) => void;
}

function ChartCanvas({ title, times, series, marks = noMarks, max, axis, onZoom, at, onCursor }: CanvasProps) {
  const box = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme("dark");
  const [labels, setLabels] = useState<ChartLabel[]>([]);
  const format = useFormat();
  const newest = useRef({ series, marks, axis, format, at, onZoom });
  newest.current = { series, marks, axis, format, at, onZoom };
  const topOf = useRef<((value: number) => number) | undefined>(undefined);
  const shape = series.map((item) => `${item.name}${item.color}`).join();

  const plot = useRef<uPlot | undefined>(undefined);
  useEffect(() => {
    const target = box.current;
    if (!target) return;
    let gone = false;
    let watcher: ResizeObserver | undefined;
    void import("./chart-plot").then(({ makePlot }) => {
      if (gone) return;
      plot.current = makePlot({
        target,
        width: Math.max(120, target.clientWidth),
        height,
        max,
        latest: () => newest.current,
        data: [times, ...series.map((item) => item.values)] as uPlot.AlignedData,
        onDraw: (place) => {
          topOf.current = place;
          setLabels(placeLabels(newest.current.series, newest.current.at, place, height));
        },
        onCursor,
        onZoom: onZoom && ((from, to) => newest.current.onZoom?.(from, to)),
      });
      watcher = new ResizeObserver(() => plot.current?.setSize({ width: Math.max(120, target.clientWidth), height }));
      watcher.observe(target);
    });
    return () => {
      gone = true;
      watcher?.disconnect();
      plot.current?.destroy();
      plot.current = undefined;
    };
    // The plot is made anew when its lines or colours change; new numbers are handed to it below.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [scheme, shape, max]);

  useEffect(() => {
    plot.current?.setData([times, ...series.map((item) => item.values)] as uPlot.AlignedData);
  }, [times, series]);

  useEffect(() => {
    plot.current?.redraw(false, false);
  }, [marks]);

  useEffect(() => {
    if (topOf.current) setLabels(placeLabels(newest.current.series, at, topOf.current, height));
  }, [at]);

  const summary = series.map((item) => `${item.name}: ${lastText(item)}`).join(", ");
  return (
    <div className={classes.row}>
      <div ref={box} className={classes.canvas} role="img" aria-label={`${title}. ${summary}`} style={{ height }} />
      <div className={classes.labels} style={{ width: labelWidth, height }} aria-hidden>
        {labels.map((label) => (
          <div key={label.name} className={`${classes.label} num`} style={{ top: label.top }}>
            <span style={{ color: `var(--chart-${label.color})` }}>{label.name}</span>
            {label.text}
          </div>
        ))}
      </div>
    </div>
  );
}

function lastText(item: ChartSeries): string {
  const last = item.values.findLast((value) => value !== null);
  return last == null ? "—" : item.format(last);
}

const tableRows = 24;

function ChartTable({ title, times, series }: ChartProps) {
  const format = useFormat();
  const { t } = useTranslation("app");
  const step = Math.max(1, Math.ceil(times.length / tableRows));
  return (
    // A region that scrolls must be reachable by keyboard.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={classes.tableBox} role="region" aria-label={title} tabIndex={0} style={{ height }}>
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">{t("chart.time")}</th>
            {series.map((item) => (
              <th key={item.name} scope="col">
                {item.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {times.map((time, index) =>
            (times.length - 1 - index) % step !== 0 ? null : (
              <tr key={time}>
                <th scope="row">{format.moment(new Date(time * 1000).toISOString())}</th>
                {series.map((item) => (
                  <td key={item.name} className="num">
                    {item.values[index] == null ? "—" : item.format(item.values[index])}
                  </td>
                ))}
              </tr>
            ),
          )}
        </tbody>
      </table>
    </div>
  );
}
