import { describe, expect, it } from "vitest";
import { componentId, makeComponent, makePage } from "../testing";
import { changedFields, draftOf, languagesOf, moved, newComponent, partsOf } from "./draft";

describe("the draft of a page", () => {
  it("sends nothing that was not changed", () => {
    const page = makePage();
    expect(changedFields(draftOf(page), page)).toEqual([]);
    expect(partsOf(draftOf(page), page)).toEqual({});
  });

  it("sends a changed text without languages in which nothing is written", () => {
    const page = makePage();
    const draft = { ...draftOf(page), titles: { en: "New", ru: " " } };
    expect(partsOf(draft, page)).toEqual({ change: { titles: { en: "New" } } });
  });

  it("sends mode and colour as the look of the page", () => {
    const page = makePage();
    const draft = { ...draftOf(page), mode: "dark" as const };
    expect(partsOf(draft, page)).toEqual({ change: { theme: { mode: "dark", accent: "#2563eb" } } });
  });

  it("sends components without what is read only, and new ones without an id", () => {
    const page = makePage();
    const fresh = { ...newComponent(""), names: { en: "Asia", ru: "" }, source_id: "f2" };
    const sent = partsOf({ ...draftOf(page), components: [...page.components, fresh] }, page).parts!.components;
    expect(sent).toEqual([
      {
        id: componentId,
        group_id: "",
        names: { en: "Europe", ru: "Европа" },
        source: "flow",
        source_id: "01890000-0000-7000-8000-000000000001",
        visible: true,
        show_bars: true,
      },
      { group_id: "", names: { en: "Asia" }, source: "flow", source_id: "f2", visible: true, show_bars: true },
    ]);
  });

  it("gives a component that is set by hand a state", () => {
    const page = makePage({ components: [makeComponent({ source: "manual", source_id: "" })] });
    const draft = { ...draftOf(page), components: [{ ...page.components[0]!, show_bars: false }] };
    expect(partsOf(draft, page).parts!.components[0]).toMatchObject({ manual_status: "operational" });
  });

  it("has its first language first", () => {
    expect(languagesOf({ locales: ["en", "ru"], default_locale: "ru" })).toEqual(["ru", "en"]);
    expect(languagesOf({ locales: ["en"], default_locale: "en" })).toEqual(["en"]);
  });
});

describe("moving", () => {
  it("goes past the next one of the same group, over those of others", () => {
    const all = ["a1", "b1", "a2"];
    const ofA = (one: string) => one.startsWith("a");
    expect(moved(all, "a2", -1, ofA)).toEqual(["a2", "b1", "a1"]);
    expect(moved(all, "a2", 1, ofA)).toEqual(all);
  });
});
