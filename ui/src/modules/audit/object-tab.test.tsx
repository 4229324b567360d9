import { QueryClient } from "@tanstack/react-query";
import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { renderApp } from "@/testing/render-app";
import type { Entry } from "./api";
import ObjectTab from "./object-tab";

const node = "01a1fc98-82ba-7a2f-aa82-74a38cf8ecb6";

function makeEntry(number: number, change: Partial<Entry> = {}): Entry {
  return {
    id: `01a1fc98-82ba-7a2f-aa82-74a38cf8ec0${number}`,
    at: "2026-03-11T12:00:00Z",
    actor: { kind: "admin", id: "a-1", name: "anna" },
    action: "node.changed",
    object: { type: "node", id: node, name: "fra-01" },
    result: "ok",
    ip: "192.0.2.7",
    changes: {},
    count: 1,
    ...change,
  } as Entry;
}

async function open(entries: Entry[]) {
  const asked: string[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation((input) => {
    const { pathname, search } = new URL((input as Request).url);
    asked.push(pathname + search);
    const body = { items: entries, next_cursor: null, total: entries.length };
    return Promise.resolve(new Response(JSON.stringify(body), { headers: { "Content-Type": "application/json" } }));
  });
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const page = await renderApp(<ObjectTab id={node} />, {
    path: `/nodes/${node}?tab=events`,
    route: "/nodes/$id",
    queries,
  });
  return { ...page, asked };
}

describe("the events of an object", () => {
  it("are those of the object alone, without a column for it", async () => {
    const { asked } = await open([
      makeEntry(1),
      makeEntry(2, { action: "node.offline", actor: { kind: "system", id: "", name: "" } }),
    ]);
    const table = await screen.findByRole("table");
    expect(within(table).getAllByRole("row")).toHaveLength(3);
    expect(within(table).queryByRole("columnheader", { name: "Object" })).not.toBeInTheDocument();
    expect(asked).toEqual([`/api/v1/audit?object=${node}&limit=50`]);
    expect(screen.getByRole("link", { name: "Open in the journal" })).toHaveAttribute("href", `/audit?object=${node}`);
  });

  it("open beside the list, keep the tab in the address, and lead to everything of an actor in the journal", async () => {
    const { address } = await open([makeEntry(1)]);
    const row = within(await screen.findByRole("table")).getAllByRole("row")[1]!;
    await userEvent.click(within(row).getByRole("link"));
    await waitFor(() => expect(address()).toContain("entry="));
    expect(address()).toContain("tab=events");
    await userEvent.click((await screen.findAllByRole("button", { name: "all entries" }))[0]!);
    await waitFor(() => expect(address()).toBe("/audit?actor=anna"));
  });

  it("say when nothing was noted", async () => {
    await open([]);
    expect(await screen.findByText("Nothing was noted about it yet")).toBeInTheDocument();
  });
});
