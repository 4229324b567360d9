import { QueryClient } from "@tanstack/react-query";
import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { AttentionLines } from "@/testing/attention-lines";
import { renderApp } from "@/testing/render-app";
import { belowMinimumQuery, type Summary } from "./api";
import part from "./pools-overview";
import { summary } from "./testing";

async function shown(items: Summary[], total = items.length) {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: Infinity } } });
  queries.setQueryData(belowMinimumQuery.queryKey, { items, next_cursor: null, total } as never);
  await renderApp(<AttentionLines part={part} />, { queries });
}

it("the overview tells pools whose traffic is blocked or goes another way, and those that are about to", async () => {
  const lost = { ...summary, flows: 2, on_fallback: true, state: "down" as const };
  await shown([
    { ...lost, id: "1", name: "Blocked", fallback: "block" },
    { ...lost, id: "2", name: "Direct", fallback: "direct", flows: 0 },
    { ...summary, id: "3", name: "Short", on_fallback: false, flows: 1 },
  ]);
  for (const line of [
    "crit | Blocked | no member is usable, its traffic is blocked | 2 flows | /pools/1",
    "crit | Direct | no member is usable, its traffic leaves directly | /pools/2",
    "warn | Short | too few members are usable | 1 flow | /pools/3",
  ])
    expect(await screen.findByText(line)).toBeInTheDocument();
});

it("pools beyond the first page are counted", async () => {
  await shown([{ ...summary, id: "1", name: "Short" }], 4);
  expect(await screen.findByText("warn | 3 more pools | too few members are usable | /pools")).toBeInTheDocument();
});
