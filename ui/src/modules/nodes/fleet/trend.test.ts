import { expect, it } from "vitest";
import { joinedMarks } from "./fleet-marks";
import { peakOf, trendOf } from "./trend";

const series = (values: number[]) => ({
  metric: "net_tx_bps",
  step_seconds: 60,
  points: values.map((value, index) => ({ at: new Date(index * 60_000).toISOString(), value })),
});

it("draws a long series as few points and keeps its peak", () => {
  const long = series(Array.from({ length: 1440 }, (_, index) => (index === 700 ? 500 : 1)));
  expect(trendOf(long).length).toBeLessThanOrEqual(48);
  expect(peakOf(long)).toEqual({ at: new Date(700 * 60_000).toISOString(), value: 500 });
  expect(peakOf(undefined)).toBeUndefined();
});

it("joins many outages of one moment to one mark that counts them", () => {
  const mark = (text: string, at: number) => ({ at, text, failure: true });
  const entries = [mark("offline", 100), mark("offline", 130), mark("applyFailed", 140)];
  const later = mark("offline", 4_000);
  const text = (word: string, count: number) => `${word} ${count}`;
  expect(joinedMarks([later, ...entries], text).map(({ text }) => text)).toEqual([
    "offline 2",
    "applyFailed 1",
    "offline 1",
  ]);
});
