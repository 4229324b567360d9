import { screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { renderApp } from "@/testing/render-app";
import { makeAgent, pageOf, serve } from "../testing";
import AgentsPage, { sightOf } from "./agents-page";

describe("what agents see", () => {
  it("is unknown while an agent has told nothing, and never zero", () => {
    expect(sightOf(makeAgent())).toBe("whole");
    expect(sightOf(makeAgent({ incomplete: 1 }))).toBe("part");
    expect(sightOf(makeAgent({ diversity_at: null }))).toBe("none");
    expect(sightOf(makeAgent({ listeners: 0 }))).toBe("none");
  });

  it("is told of each agent, with what was lost and what was not taken", async () => {
    const part = makeAgent({ incomplete: 1, dropped: 12, refused: 7, refused_why: "foreign" });
    const { queries } = serve({ "GET /agents": pageOf(part) });
    await renderApp(<AgentsPage />, { queries });
    const row = within((await screen.findByRole("link", { name: "fra-02" })).closest("tr")!);
    expect(row.getByText("sees 2 of 3 whole")).toBeInTheDocument();
    expect(row.getByText("12")).toBeInTheDocument();
    expect(row.getByText("of users that the node does not serve")).toBeInTheDocument();
  });

  it("leads to no node that may not be seen", async () => {
    const { queries } = serve({ "GET /agents": pageOf(makeAgent()) }, ["abuse.view"]);
    await renderApp(<AgentsPage />, { queries });
    expect(await screen.findByText("fra-02")).toBeInTheDocument();
    expect(screen.queryByRole("link", { name: "fra-02" })).not.toBeInTheDocument();
  });

  it("says when agents begin to tell", async () => {
    const { queries } = serve({ "GET /agents": pageOf() });
    await renderApp(<AgentsPage />, { queries });
    expect(await screen.findByText("No agent has reported anything yet")).toBeInTheDocument();
  });
});
