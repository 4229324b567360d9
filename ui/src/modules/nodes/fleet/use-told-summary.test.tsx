import { QueryClientProvider } from "@tanstack/react-query";
import { act, renderHook, waitFor } from "@testing-library/react";
import type { PropsWithChildren } from "react";
import { beforeEach, expect, it } from "vitest";
import { figures, takeFrame } from "@/api/figures";
import { serveUnder } from "@/testing/serve";
import { useToldSummary } from "./use-told-summary";

const calm = { states: { online: 42 }, attention: [], attention_nodes: 0 };
const outage = { states: { online: 2, degraded: 40 }, attention: [{ cause: "agent_stale" }], attention_nodes: 40 };

beforeEach(() => figures.setState(figures.getInitialState(), true));

const frame = (states: Record<string, number>) =>
  act(() =>
    takeFrame({
      kind: "node.metrics",
      at: new Date().toISOString(),
      interval_s: 3,
      stale_after_s: 30,
      fleet: { total: 42, states },
    } as Parameters<typeof takeFrame>[0]),
  );

function summaries(...bodies: object[]) {
  const panel = serveUnder("/api/v1")({ "GET /nodes/summary": bodies.map((body) => ({ body })) });
  const wrapper = ({ children }: PropsWithChildren) => (
    <QueryClientProvider client={panel.queries}>{children}</QueryClientProvider>
  );
  return { ...renderHook(() => useToldSummary(), { wrapper }), asked: panel.asked };
}

it("is read again when frames count failures that it does not know", async () => {
  const { result, asked } = summaries(calm, outage);
  await waitFor(() => expect(result.current?.attention_nodes).toBe(0));
  frame({ online: 2, degraded: 40 });
  await waitFor(() => expect(result.current?.attention_nodes).toBe(40));
  expect(asked).toHaveLength(2);
});

it("is left alone while frames count the same, and asked for once where both stay apart", async () => {
  const { result, asked } = summaries(calm);
  await waitFor(() => expect(result.current).toBeDefined());
  frame({ online: 42 });
  expect(asked).toHaveLength(1);
  frame({ online: 41, offline: 1 });
  frame({ online: 41, offline: 1 });
  await waitFor(() => expect(asked).toHaveLength(2));
  frame({ online: 41, offline: 1 });
  expect(asked).toHaveLength(2);
});
