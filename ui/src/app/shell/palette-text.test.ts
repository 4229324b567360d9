import { describe, expect, it } from "vitest";
import nodes from "@/modules/nodes/module";
import flows from "@/modules/flows/module";
import pools from "@/modules/pools/module";
import { marked, offered, readPalette } from "./palette-text";

const acts = [...nodes.acts!, ...flows.acts!, ...pools.acts!];
const read = (text: string) => {
  const { acts: meant, name } = readPalette(text, acts);
  return [meant.map((act) => act.key).join(), name];
};

describe("what is typed into the palette", () => {
  it("is an act with a name after it, in both languages", () => {
    expect(read("restart fra-02")).toEqual(["restart_core", "fra-02"]);
    expect(read("Restart core  fra-02 ")).toEqual(["restart_core", "fra-02"]);
    expect(read("drain london"), "maintenance leads no traffic away").toEqual(["drain", "london"]);
    expect(read("maintenance london")).toEqual(["maintenance_on", "london"]);
    expect(read("link for anna")).toEqual(["link", "anna"]);
    expect(read("compile Europe main")).toEqual(["compile", "Europe main"]);
    expect(read("перезапустить msk-01")).toEqual(["restart_core", "msk-01"]);
    expect(read("ссылка для Анны")).toEqual(["link", "Анны"]);
  });

  it("is a name when it begins with no verb", () => {
    expect(read("fra-02")).toEqual(["", "fra-02"]);
    expect(read("restart")).toEqual(["", "restart"]);
    expect(read("restarting")).toEqual(["", "restarting"]);
  });

  it("offers the acts whose words contain it", () => {
    expect(offered("main", acts).map((act) => act.key)).toEqual(["maintenance_on", "maintenance_off"]);
    expect(offered("", acts)).toHaveLength(acts.length);
    expect(offered("ссыл", acts).map((act) => act.key)).toEqual(["link"]);
  });

  it("is marked in the names that it found", () => {
    expect(marked("ekb-FRA-02", "fra")).toEqual([
      { text: "ekb-", hit: false },
      { text: "FRA", hit: true },
      { text: "-02", hit: false },
    ]);
    expect(marked("Nodes", "")).toEqual([{ text: "Nodes", hit: false }]);
  });
});
