import type uPlot from "uplot";
import type { ChartMark } from "./chart-data";

const gap = 6;

/** Which of the words at these places are written: failures first, then from the left, none over another. */
export function placed(words: readonly { left: number; width: number; failure: boolean }[]): boolean[] {
  const written = words.map(() => false);
  const order = words.map((_, index) => index).toSorted((a, b) => rank(words[a]!) - rank(words[b]!));
  for (const index of order) {
    const { left, width } = words[index]!;
    written[index] = words.every(
      (other, at) => !written[at] || left >= other.left + other.width + gap || left + width + gap <= other.left,
    );
  }
  return written;
}

const rank = ({ left, failure }: { left: number; failure: boolean }) => (failure ? left - 1e9 : left);

/** Draws a line for each moment that is in sight, and its words where there is room. */
export function drawMarks(plot: uPlot, marks: ChartMark[], token: (name: string) => string, font: string): void {
  const { left, top, width, height } = plot.bbox;
  const ratio = devicePixelRatio;
  const { ctx } = plot;
  ctx.save();
  ctx.font = font.replace("11px", `${11 * ratio}px`);
  const shown = marks
    .map((mark) => ({ mark, x: plot.valToPos(mark.at, "x", true), wide: ctx.measureText(mark.text).width }))
    .filter(({ x }) => x >= left && x <= left + width)
    .map((one) => ({ ...one, begin: Math.max(left, Math.min(one.x - one.wide / 2, left + width - one.wide)) }));
  const written = placed(
    shown.map(({ mark, begin, wide }) => ({
      left: begin / ratio,
      width: wide / ratio,
      failure: Boolean(mark.failure),
    })),
  );
  ctx.textAlign = "left";
  ctx.textBaseline = "bottom";
  ctx.setLineDash([3 * ratio, 3 * ratio]);
  shown.forEach(({ mark, x, begin }, index) => {
    ctx.strokeStyle = ctx.fillStyle = token(mark.failure ? "--crit" : "--text-3");
    ctx.beginPath();
    ctx.moveTo(x, top);
    ctx.lineTo(x, top + height);
    ctx.stroke();
    if (written[index]) ctx.fillText(mark.text, begin, top - 2 * ratio);
  });
  ctx.restore();
}
