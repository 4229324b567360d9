import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { ChartMark, ChartSeries } from "./chart-data";
import { drawMarks } from "./chart-marks";

interface PlotInput {
  target: HTMLElement;
  width: number;
  height: number;
  max: number | undefined;
  data: uPlot.AlignedData;
  /** What was drawn last; asked at every stroke, so that numbers and language stay fresh. */
  latest: () => {
    series: ChartSeries[];
    marks: ChartMark[];
    axis: (value: number) => string;
    format: { clock: (at: number) => string; moment: (iso: string) => string };
  };
  onDraw: (topOf: (value: number) => number) => void;
  /** The time under the cursor, also while it is over another chart of the page. */
  onCursor: (index: number | undefined) => void;
  /** A range of seconds was chosen by dragging. */
  onZoom: ((from: number, to: number) => void) | undefined;
}

// One cursor for all charts of a page.
const sharedCursor = "charts";
const leastDrag = 8;

const day = 86_400;

/** Draws the lines with the page's own colours and type. */
export function makePlot(input: PlotInput): uPlot {
  const { target, width, height, max, data, latest, onDraw, onCursor, onZoom } = input;
  const style = getComputedStyle(document.documentElement);
  const token = (name: string) => style.getPropertyValue(name).trim();
  const font = `11px ${style.getPropertyValue("--font-ui")}`;
  const axis = { stroke: token("--text-3"), font, ticks: { show: false }, gap: 6 };
  return new uPlot(
    {
      width,
      height,
      legend: { show: false },
      cursor: {
        y: false,
        points: { size: 6 },
        sync: { key: sharedCursor },
        drag: { x: onZoom !== undefined, y: false, setScale: false, dist: leastDrag },
      },
      padding: [14, 18, 0, 0],
      scales: { y: { range: (_plot, low, high) => [Math.min(0, low), max ?? niceTop(high)] } },
      axes: [
        {
          ...axis,
          size: 24,
          space: 72,
          grid: { show: false },
          border: { show: true, stroke: token("--line"), width: 1 },
          values: (_plot, splits) => splits.map((at) => timeText(at, splits, latest().format)),
        },
        {
          ...axis,
          size: (_plot, values) => 10 + 6.4 * Math.max(...(values ?? [""]).map((text) => text.length)),
          space: 26,
          incrs: showsHalves(latest().axis) ? undefined : wholeSteps,
          grid: { stroke: token("--soft"), width: 1 },
          values: (_plot, splits) => splits.map((value) => latest().axis(value)),
        },
      ],
      series: [
        {},
        ...latest().series.map((item, index) => {
          const color = token(`--chart-${item.color}`);
          return {
            label: item.name,
            stroke: color,
            width: 1.5,
            points: { show: false },
            spanGaps: false,
            fill: index === 0 ? (plot: uPlot) => shade(plot, color) : undefined,
          };
        }),
      ],
      hooks: {
        draw: [
          (plot) => {
            drawMarks(plot, latest().marks, token, font);
            onDraw((value) => plot.valToPos(value, "y") + 14);
          },
        ],
        setCursor: [(plot) => onCursor(plot.cursor.left! >= 0 ? (plot.cursor.idx ?? undefined) : undefined)],
        setSelect: [
          (plot) => {
            const { left, width } = plot.select;
            if (width < leastDrag) return;
            onZoom?.(plot.posToVal(left, "x"), plot.posToVal(left + width, "x"));
            plot.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
          },
        ],
      },
    },
    data,
    target,
  );
}

const wholeSteps = Array.from({ length: 12 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat();

// Figures that are counted have no lines between two of them: both would bear the same label.
function showsHalves(axis: (value: number) => string): boolean {
  return ![axis(0), axis(1)].includes(axis(0.5));
}

function niceTop(high: number): number {
  if (!Number.isFinite(high) || high <= 0) return 1;
  const size = 10 ** Math.floor(Math.log10(high));
  const steps = [1, 1.5, 2, 3, 4, 5, 6, 8, 10];
  return size * (steps.find((step) => step * size >= high * 1.08) ?? 10);
}

function timeText(
  at: number,
  splits: number[],
  format: { clock: (at: number) => string; moment: (iso: string) => string },
): string {
  const span = (splits.at(-1) ?? at) - (splits[0] ?? at);
  if (span <= day) return format.clock(at * 1000);
  return format.moment(new Date(at * 1000).toISOString()).replace(/,? \d{2}:\d{2}$/, "");
}

function shade(plot: uPlot, color: string): CanvasGradient | string {
  const { top, height } = plot.bbox;
  if (!height) return "transparent";
  const gradient = plot.ctx.createLinearGradient(0, top, 0, top + height);
  gradient.addColorStop(0, `${color}24`);
  gradient.addColorStop(1, `${color}00`);
  return gradient;
}
