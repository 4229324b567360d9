import { screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { renderApp } from "@/testing/render-app";
import { fakeState } from "../testing/fake-panel";
import { fakeFlow, type FakeFlow } from "../testing/samples";
import { serveFake } from "../testing/serve-fake";
import NodeFlowsTab from "./node-flows-tab";

async function open(flows: FakeFlow[]) {
  const panel = serveFake(fakeState({ flows }));
  await renderApp(<NodeFlowsTab id="n-msk" />, { path: "/nodes/n-msk?tab=flows", queries: panel.queries });
  return panel;
}

describe("the flows of a node", () => {
  it("are asked of the panel by the node, and begin with what needs work", async () => {
    const { asked } = await open([
      fakeFlow({ id: "1", name: "Asia pair", draft_revision: 16, clients: [] }),
      fakeFlow({ id: "2", name: "Warsaw reserve", health_state: "down" }),
    ]);
    const rows = within(await screen.findByRole("table", { name: "Flows" }))
      .getAllByRole("row")
      .slice(1);
    expect(rows.map((row) => within(row).getAllByRole("link")[0]!.textContent)).toEqual([
      "Warsaw reserve",
      "Asia pair",
    ]);
    const lists = asked.filter(({ path }) => path.startsWith("/api/v1/connection-units?"));
    expect(lists.map(({ path }) => path)).toEqual(["/api/v1/connection-units?node_id=n-msk&limit=200"]);
  });

  it("say when there are none", async () => {
    await open([]);
    expect(await screen.findByText("No flow has this node")).toBeInTheDocument();
  });
});
