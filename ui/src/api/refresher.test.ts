import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { collectFor, createRefresher, withoutCovered } from "./refresher";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** An open page that shows one query; `asked` counts its requests, each takes `takes` milliseconds. */
function open(queries: QueryClient, queryKey: string[], takes = 10) {
  const page = { asked: 0, close: () => undefined as void };
  const queryFn = () => {
    page.asked++;
    return new Promise((resolve) => setTimeout(() => resolve(page.asked), takes));
  };
  page.close = new QueryObserver(queries, { queryKey, queryFn }).subscribe(() => undefined);
  return page;
}

it("fetches once for all events of half a second", async () => {
  const queries = new QueryClient();
  const list = open(queries, ["nodes", "list"]);
  const other = open(queries, ["nodes", "one", "7"]);
  await vi.advanceTimersByTimeAsync(20);
  const refresher = createRefresher(queries);
  for (let event = 0; event < 100; event++) refresher.add([["nodes", "list"]]);
  await vi.advanceTimersByTimeAsync(collectFor + 20);
  expect([list.asked, other.asked]).toEqual([2, 1]);
  list.close();
  other.close();
});

it("does not ask again while it is still being answered, and misses nothing of what came meanwhile", async () => {
  const queries = new QueryClient();
  const list = open(queries, ["nodes", "list"], 5_000);
  await vi.advanceTimersByTimeAsync(5_000);
  const refresher = createRefresher(queries);
  for (let event = 0; event < 40; event++) {
    refresher.add([["nodes", "list"]]);
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(list.asked).toBe(2);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(list.asked).toBe(3);
  list.close();
});

it("does nothing any more after it was stopped", async () => {
  const queries = new QueryClient();
  const list = open(queries, ["nodes", "list"]);
  await vi.advanceTimersByTimeAsync(20);
  const refresher = createRefresher(queries);
  refresher.add([["nodes"]]);
  refresher.stop();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(list.asked).toBe(1);
  list.close();
});

it("leaves out what a shorter key of the batch reaches anyway", () => {
  expect(withoutCovered([["nodes"], ["nodes", "one", "7"], ["flows", "7"]])).toEqual([["nodes"], ["flows", "7"]]);
});
