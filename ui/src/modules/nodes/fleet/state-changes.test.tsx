import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { renderApp } from "@/testing/render-app";
import { serveUnder } from "@/testing/serve";
import { StateChanges } from "./state-changes";

const serve = serveUnder("/api/v1");
const change = (number: number, state: string) => ({
  node_id: `n-${number}`,
  name: `fra-${number}`,
  was: "online",
  state,
  at: "2026-03-11T12:00:00Z",
});

const show = (items: unknown[], total: number) =>
  renderApp(<StateChanges />, { queries: serve({ "GET /nodes/state-changes": { body: { items, total } } }).queries });

it("tells which node turned to what, also to an account that may not read the journal", async () => {
  await show([change(1, "offline"), change(2, "online")], 2);
  expect(await screen.findByRole("link", { name: "fra-1" })).toHaveAttribute("href", "/nodes/n-1");
  expect(screen.getByText("lost contact")).toBeInTheDocument();
  expect(screen.getByText("is healthy")).toBeInTheDocument();
  expect(screen.queryByText(/No node changed/)).toBeNull();
});

it("counts the changes that it does not show", async () => {
  await show(
    Array.from({ length: 12 }, (_, number) => change(number, "degraded")),
    40,
  );
  expect(await screen.findByText("and 32 changes before")).toBeInTheDocument();
  expect(screen.getAllByRole("link")).toHaveLength(8);
});

it("says that nothing changed only where that is so", async () => {
  await show([], 0);
  expect(await screen.findByText("No node changed its state in this time.")).toBeInTheDocument();
});
