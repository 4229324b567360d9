import { screen, within } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { changeLanguage } from "@/text/i18n";
import { renderApp } from "@/testing/render-app";
import type { Drawing } from "../drawing/drawing";
import { moveWay, removeEdge, setField } from "../drawing/drawing-edits";
import { PlacesProvider } from "../editor/editor-context";
import { fakeState } from "../testing/fake-panel";
import { europe } from "../testing/places";
import { serveFake } from "../testing/serve-fake";
import { CompareTable } from "./compare-table";

async function compare(a: Drawing, b: Drawing) {
  const panel = serveFake(fakeState());
  const page = await renderApp(
    <PlacesProvider ids={[]}>
      <CompareTable a={a} b={b} nameA="v16" nameB="v17" />
    </PlacesProvider>,
    { path: "/flows/f-europe", queries: panel.queries },
  );
  const region = await screen.findByRole("region", { name: "Differences" });
  return { ...page, region, has: (text: string | RegExp) => within(region).findByText(text) };
}

describe("two versions beside each other", () => {
  afterEach(() => changeLanguage("en"));

  it("says in sentences what is another, with names in place of keys, ids and paths", async () => {
    const moved = setField(setField(europe, "entry", "params.listener.port", 8443), "entry", "node_id", "n-ams");
    const { region, has } = await compare(europe, removeEdge(moved, 0));
    await has("Port: 8443 instead of 443");
    await has("Node: ams-01 instead of msk-01");
    await has(/^No rule any more from Moscow entry to/);
    expect(region).not.toHaveTextContent(/listener\.|node_id|n-ams/);
    expect(within(region).queryByRole("table")).toBeNull();
  });

  it("tells lists by what comes and goes", async () => {
    const first = europe.edges[0]!;
    const more = { ...first, match: { ...first.match, domain: [...(first.match?.domain ?? []), "added.example"] } };
    const { has } = await compare(europe, { ...europe, edges: [more, ...europe.edges.slice(1)] });
    await has("Domains: with added.example");
  });

  it("tells rules by their order", async () => {
    const { has } = await compare(europe, moveWay(europe, 0, 1));
    await has(/Its rules are tried in another order; by their numbers before: 2, 1, 3, 4/);
  });

  it("mentions a new name as one that changes nothing, in both languages", async () => {
    const { has, region } = await compare(europe, setField(europe, "entry", "title", "Moscow 1"));
    await has("No difference in what runs.");
    await has("Moscow entry is now called Moscow 1; nothing else changes");
    await changeLanguage("ru");
    expect(await within(region).findByText(/Moscow entry теперь называется Moscow 1/)).toBeInTheDocument();
  });
});
