import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { renderApp } from "@/testing/render-app";
import type { Entry } from "./api";
import { EntryView } from "./entry-view";

const entry = {
  id: "01a1fc98-82ba-7a2f-aa82-74a38cf8ec01",
  at: "2026-03-11T12:00:00Z",
  actor: { kind: "admin", id: "a-1", name: "anna" },
  action: "node.updated",
  object: { type: "node", id: "n-1", name: "fra-01" },
  result: "ok",
  ip: "192.0.2.7",
  place: { country: "DE", asn: 64500, network: "Example Hosting" },
  user_agent: "",
  changes: {},
  count: 1,
} as unknown as Entry;

const view = (change: Partial<Entry>) => (
  <EntryView
    entry={{ ...entry, ...change }}
    error={undefined}
    neighbours={{}}
    onOpen={() => undefined}
    onFilter={() => undefined}
    onClose={() => undefined}
  />
);

it("says beside the address of the caller where that is", async () => {
  await renderApp(view({}));
  expect(await screen.findByText("192.0.2.7")).toBeInTheDocument();
  expect(screen.getByText("Germany, AS64500 Example Hosting")).toBeInTheDocument();
});

it("shows the address alone where no place is known", async () => {
  await renderApp(view({ place: null as never }));
  expect(await screen.findByText("192.0.2.7")).toBeInTheDocument();
  expect(screen.queryByText(/AS\d/)).not.toBeInTheDocument();
});
