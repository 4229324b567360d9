import { act, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { figures, takeFrame } from "@/api/figures";
import { serverClock } from "@/api/server-clock";
import { live } from "@/api/stream";
import { FiguresAge } from "@/components/text/figures-age";
import { renderApp } from "@/testing/render-app";
import { LiveFoot } from "./live-foot";

const seconds = 1000;

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  live.setState({ state: "live", failures: 0 });
});

afterEach(() => {
  vi.useRealTimers();
  figures.setState(figures.getInitialState());
  live.setState(live.getInitialState());
  serverClock.setState(serverClock.getInitialState());
});

const frame = () =>
  act(() =>
    takeFrame({
      kind: "node.metrics",
      at: new Date().toISOString(),
      interval_s: 3,
      stale_after_s: 30,
      fleet: { total: 0, states: {}, figures: {} },
    } as never),
  );
const pass = (time: number) => act(() => vi.advanceTimersByTimeAsync(time));

it("names changes alone on a page without figures", async () => {
  await renderApp(<LiveFoot rail={false} />);
  expect(await screen.findByText("Live")).toBeVisible();
  expect(screen.getByText("Changes as they happen")).toBeVisible();
});

it("says how old the figures are, and is live no more when two of them did not come", async () => {
  await renderApp(
    <>
      <LiveFoot rail={false} />
      <FiguresAge />
    </>,
  );
  await screen.findByText("Live");
  frame();
  await pass(5 * seconds);
  expect(screen.getByText("Live")).toBeVisible();
  expect(screen.getByText(/^Changes, figures [45] s old$/)).toBeVisible();
  expect(screen.getByText(/^Figures [45] s old$/)).toBeVisible();
  await pass(2 * seconds);
  expect(screen.queryByText("Live")).toBeNull();
  expect(screen.getByText("Changes only")).toBeVisible();
  expect(screen.getByText(/^No figures since \d/)).toBeVisible();
  expect(screen.getByText(/^No data since \d/)).toBeVisible();
  frame();
  await pass(seconds);
  expect(screen.getByText("Live")).toBeVisible();
});

it("says the same in one name where there is room for the sign alone", async () => {
  await renderApp(<LiveFoot rail />);
  expect(await screen.findByRole("img", { name: "Live: Changes as they happen" })).toBeVisible();
  act(() => live.setState({ state: "retrying", failures: 1 }));
  expect(screen.getByRole("img", { name: "Reconnecting" })).toBeVisible();
});
