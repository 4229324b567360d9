import { QueryClient, queryOptions, useQuery } from "@tanstack/react-query";
import { screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { api } from "@/api/client";
import type { AttentionItem, OverviewPart, UiModule } from "@/module";
import { renderApp } from "@/testing/render-app";
import { OverviewParts } from "./overview-parts";

beforeEach(() => {
  const answered = { data: { items: [] }, response: new Response(null, { status: 200 }) };
  vi.spyOn(api, "GET").mockResolvedValue(answered as never);
});
afterEach(() => vi.restoreAllMocks());

const line = (name: string): AttentionItem => ({
  id: name,
  severity: "crit",
  glyph: "down",
  name,
  what: "is blocked",
  act: { label: "Open", path: "/pools" },
});

const linesQuery = (name: string, lines: AttentionItem[]) =>
  queryOptions({ queryKey: ["lines", name], staleTime: Infinity, queryFn: () => lines });

/** A module whose part has asked for its lines before it is drawn. */
function later(name: string, lines: AttentionItem[]): UiModule {
  const known = linesQuery(name, lines);
  const part: OverviewPart = {
    ahead: ({ queries }) => queries.prefetchQuery(known),
    useAttention: () => useQuery(known).data ?? [],
  };
  return { name, overview: { order: 1, later: true, load: () => Promise.resolve({ default: part }) } };
}

function show(modules: UiModule[]) {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const view = <OverviewParts parts={[]} later={modules} unseen={[]} setupOpen={false} />;
  return renderApp(view, { queries }).then(() => queries);
}

it("does not say that all is well before the parts that come later have said so", async () => {
  await show([later("pools", []), later("geo", [])]);
  expect(await screen.findByText(/Looking at the rest/)).toBeInTheDocument();
  expect(screen.queryByText(/Nothing needs you/)).not.toBeInTheDocument();
  expect(await screen.findByText(/Nothing needs you/, {}, { timeout: 10_000 })).toBeInTheDocument();
  expect(screen.queryByText(/Looking at the rest/)).not.toBeInTheDocument();
});

it("shows the lines of parts that come later, and what becomes of them", async () => {
  const queries = await show([later("pools", [line("Europe exits")])]);
  expect(await screen.findByText("Europe exits", {}, { timeout: 10_000 })).toBeInTheDocument();
  queries.setQueryData(linesQuery("pools", []).queryKey, []);
  expect(await screen.findByText(/Nothing needs you/)).toBeInTheDocument();
  expect(screen.queryByText("Europe exits")).not.toBeInTheDocument();
});
