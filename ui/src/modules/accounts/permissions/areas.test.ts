import { expect, it } from "vitest";
import { byArea, matching } from "./areas";

const permission = (key: string) => ({ key, family: `${key.split(".")[0]}.*`, summary: `about ${key}` });
const areaOf = { nodes: "network", audit: "protection" } as const;
const catalogue = ["audit.view", "nodes.edit", "nodes.view", "strange.new"].map(permission);

it("orders the catalogue as the navigation does, reading first", () => {
  const keys = byArea(catalogue, areaOf).map(({ area, families }) => [
    area,
    families.map((family) => [family.key, family.permissions.map((item) => item.key)]),
  ]);
  expect(keys).toEqual([
    ["network", [["nodes.*", ["nodes.view", "nodes.edit"]]]],
    ["protection", [[undefined, ["audit.view"]]]],
    ["system", [[undefined, ["strange.new"]]]],
  ]);
});

it("finds a key by its words", () => {
  const found = matching(byArea(catalogue, areaOf), "правки", (item) =>
    item.key === "nodes.edit" ? "Правки нод" : "",
  );
  expect(
    found.flatMap((group) => group.families.flatMap((family) => family.permissions.map((item) => item.key))),
  ).toEqual(["nodes.edit"]);
});
