import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { renderApp } from "@/testing/render-app";
import { fakeState } from "../testing/fake-panel";
import { serveFake } from "../testing/serve-fake";
import EditorPage from "./editor-page";

const open = (tab: string) =>
  renderApp(<EditorPage />, {
    path: `/flows/f-europe/${tab}`,
    route: "/flows/$id/{-$tab}",
    queries: serveFake(fakeState()).queries,
  });

it("says that there is no such tab instead of showing another one", async () => {
  await open("elsewhere");
  expect(await screen.findByText("There is no such tab")).toBeInTheDocument();
  const tabs = screen.getByRole("navigation", { name: "Parts of the flow" });
  expect(tabs.querySelector("[aria-current]")).toBeNull();
  expect(screen.queryByRole("toolbar", { name: "View of the graph" })).not.toBeInTheDocument();
});
