import { screen, within } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { api } from "@/api/client";
import { renderApp } from "@/testing/render-app";
import { PastInstalled, PastTile } from "./flows-past";

const at = "2026-03-11T06:00:00Z";
const flow = (name: string, change: object = {}) => ({
  id: name,
  name,
  state: "applied",
  version_number: 3,
  since: "2026-03-10T12:00:00Z",
  by: "anna",
  bypassed: 0,
  apply_id: "a",
  ...change,
});

function told(items: object[], total = items.length): void {
  const data = { at, total, items, earlier: null, later: null };
  vi.spyOn(api, "GET").mockResolvedValue({ data, response: new Response(null, { status: 200 }) } as never);
}

afterEach(() => vi.restoreAllMocks());

it("names the version that each flow served, with what was not in order", async () => {
  told([
    flow("Europe main", { id: "main", bypassed: 2 }),
    flow("Asia pair", { state: "apply_failed", version_number: 7 }),
    flow("Office", { state: "disabled", version_number: null }),
  ]);
  await renderApp(
    <>
      <PastTile at={at} />
      <PastInstalled at={at} />
    </>,
  );
  const card = within(await screen.findByRole("region", { name: "Installed then" }));
  expect(await card.findByRole("link", { name: "Europe main v3" })).toHaveAttribute("href", "/flows/main/applies/a");
  expect(card.getByText("2 checks bypassed")).toBeInTheDocument();
  expect(card.getByText("Apply failed")).toBeInTheDocument();
  expect(card.getByRole("link", { name: "Office" })).toBeInTheDocument();
  expect(await screen.findByText("of 3")).toBeInTheDocument();
  expect(screen.getByText("1 apply failed")).toBeInTheDocument();
});

it("says so when nothing was installed, and counts what it leaves out", async () => {
  told([]);
  const { unmount } = await renderApp(<PastInstalled at={at} />);
  expect(await screen.findByText("No flow had been applied yet.")).toBeInTheDocument();
  unmount();
  told([flow("One")], 4);
  await renderApp(<PastInstalled at={at} />);
  expect(await screen.findByText("3 more flows")).toBeInTheDocument();
});
