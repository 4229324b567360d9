import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { beginSession } from "@/api/session";
import { makeNode } from "@/testing/fixtures";
import { measuredNodeQuery } from "./api";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("reads an open node again as often as its agent measures, so that no figure of it grows old", async () => {
  beginSession("ps_test");
  const fetched = vi
    .spyOn(globalThis, "fetch")
    .mockImplementation(() =>
      Promise.resolve(new Response(JSON.stringify(makeNode()), { headers: { "Content-Type": "application/json" } })),
    );
  const close = new QueryObserver(new QueryClient(), measuredNodeQuery("n-1")).subscribe(() => undefined);
  await vi.advanceTimersByTimeAsync(31_000);
  expect(fetched).toHaveBeenCalledTimes(3);
  close();
});
