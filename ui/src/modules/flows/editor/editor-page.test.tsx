import { screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it } from "vitest";
import { renderApp } from "@/testing/render-app";
import { setField } from "../drawing/drawing-edits";
import { fakeState } from "../testing/fake-panel";
import { europe } from "../testing/places";
import { serveFake } from "../testing/serve-fake";
import EditorPage from "./editor-page";

const open = (tab: string, state = fakeState()) =>
  renderApp(<EditorPage />, {
    path: `/flows/f-europe/${tab}`,
    route: "/flows/$id/{-$tab}",
    queries: serveFake(state).queries,
  });

it("says that there is no such tab instead of showing another one", async () => {
  await open("elsewhere");
  expect(await screen.findByText("There is no such tab")).toBeInTheDocument();
  const tabs = screen.getByRole("navigation", { name: "Parts of the flow" });
  expect(tabs.querySelector("[aria-current]")).toBeNull();
  expect(screen.queryByRole("toolbar", { name: "View of the graph" })).not.toBeInTheDocument();
});

it("leads to what is still to be filled in where nothing is wrong", async () => {
  const state = fakeState();
  const graph = setField(europe, "exit", "node_id", "");
  const at = graph.nodes.findIndex(({ key }) => key === "exit");
  const missing = { code: "node_required", path: `nodes[${at}].node_id`, message: "choose the node" };
  state.draft = { ...state.draft, graph, problems: [missing] };
  await open("graph", state);
  await userEvent.click(await screen.findByRole("button", { name: "Fix 1 problem" }));
  expect(await screen.findByRole("combobox", { name: /Node/ })).toHaveFocus();
});
