import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { renderApp } from "@/testing/render-app";
import { serveFake } from "../testing/serve-fake";
import { fakeState } from "../testing/fake-panel";
import { fakeFlow, fakeTraffic } from "../testing/samples";
import type { Traffic } from "../shared/api";
import { FlowLoad } from "./flow-load";

const flow = fakeFlow();

async function show(change: (entry: Traffic["entries"][number], traffic: Traffic) => Traffic["entries"]) {
  const traffic = fakeTraffic();
  traffic.entries = change(traffic.entries[0]!, traffic);
  const panel = serveFake(
    fakeState({
      refusals: { [`GET /api/v1/connection-units/${flow.id}/traffic`]: [{ status: 200, body: { ...traffic } }] },
    }),
  );
  await renderApp(<FlowLoad flow={flow} />, { queries: panel.queries });
}

const ago = (traffic: Traffic, seconds: number) => new Date(Date.parse(traffic.at) - seconds * 1000).toISOString();

it("adds up what the entries carry", async () => {
  await show((entry) => [entry, { ...entry, block: "second", sessions: 3 }]);
  expect(await screen.findByText("17 sessions")).toBeVisible();
  expect(screen.queryByText(/no data/)).toBeNull();
});

it("leaves out an entry that is silent, and says so", async () => {
  await show((entry, traffic) => [
    entry,
    { ...entry, block: "second", sessions: 3, observed_at: ago(traffic, 31) },
    { ...entry, block: "third", sessions: 3, observed_at: ago(traffic, 5) },
  ]);
  expect(await screen.findByText("17 sessions")).toBeVisible();
  expect(screen.getByText("no data from 1 of 3 entries")).toBeVisible();
});

it("shows no figure while all entries are silent", async () => {
  await show((entry, traffic) => [{ ...entry, observed_at: ago(traffic, 3600) }]);
  expect(await screen.findByText(/No data since/)).toBeVisible();
  expect(screen.queryByText(/sessions/)).toBeNull();
});
