import { screen } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { changeLanguage } from "@/text/i18n";
import { renderApp } from "@/testing/render-app";
import type { Drawing } from "../drawing/drawing";
import { addBlock, removeBlocks, setEdgeField, setField } from "../drawing/drawing-edits";
import { fakeState } from "../testing/fake-panel";
import { europe } from "../testing/places";
import { serveFake } from "../testing/serve-fake";
import { joined, PlanGraph } from "./plan-graph";

async function draw(before: Drawing | undefined, after: Drawing) {
  const panel = serveFake(fakeState());
  const page = await renderApp(<PlanGraph before={before} after={after} />, { queries: panel.queries });
  const picture = await screen.findByRole("img");
  const looks = (of: string) =>
    [...page.container.querySelectorAll(`${of}[data-look]`)].map((element) => element.getAttribute("data-look"));
  return { ...page, picture, blocks: () => looks("g"), lines: () => looks("path") };
}

describe("a plan as a picture", () => {
  afterEach(() => changeLanguage("en"));

  it("tells what comes, what becomes another and what goes, of blocks and of rules", async () => {
    const changed = setField(europe, "entry", "params.listener.port", 8443);
    const gone = europe.nodes.find((block) => block.key === "exit-3")!;
    const after = removeBlocks(addBlock(changed, "block").drawing, [gone.key]);
    const { picture, blocks, lines } = await draw(europe, after);
    expect(picture).toHaveAccessibleName(/Port: 8443 instead of 443/);
    expect(picture).toHaveAccessibleName(/: Added/);
    expect(picture).toHaveAccessibleName(/: Removed/);
    expect(blocks().toSorted()).toEqual(["added", "changed", "removed"]);
    expect(lines()).toContain("removed");
  });

  it("marks the line of a rule with another condition, not the blocks that it joins", async () => {
    const { blocks, lines } = await draw(europe, setEdgeField(europe, 0, "match.domain", ["other.example"]));
    expect(blocks()).toEqual([]);
    expect(lines()).toEqual(["changed"]);
  });

  it("is all new where nothing is installed, and speaks Russian", async () => {
    const { blocks } = await draw(undefined, europe);
    expect(blocks()).toEqual(europe.nodes.map(() => "added"));
    await changeLanguage("ru");
    expect(await screen.findByText("новое")).toBeInTheDocument();
  });

  it("keeps the new drawing as it is", () => {
    expect(joined(europe, europe)).toEqual(europe);
  });
});
