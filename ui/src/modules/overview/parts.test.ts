import { QueryClient } from "@tanstack/react-query";
import i18next from "i18next";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { PermissionKey } from "@/api/keys.gen";
import type { OverviewPart, UiModule } from "@/module";
import { startI18n } from "@/text/i18n";
import { loadParts, partsQuery, sources } from "./parts";

function module(name: string, order: number, needs?: PermissionKey[], part: OverviewPart = {}): UiModule {
  return { name, overview: { order, needs, load: vi.fn(async () => ({ default: part })) } };
}

const names = (list: readonly UiModule[]) => list.map(({ name }) => name);
const holds =
  (...held: PermissionKey[]) =>
  (...needed: PermissionKey[]) =>
    needed.some((key) => held.includes(key));

describe("sources", () => {
  const all = [
    module("updates", 40),
    module("flows", 20, ["connection_units.view"]),
    { name: "accounts" },
    module("nodes", 10, ["nodes.view"]),
  ];

  it("gives the parts that the account may see in their order, and leaves out modules without one", () => {
    const { seen, unseen } = sources(all, holds("nodes.view", "connection_units.view"));
    expect(names(seen)).toEqual(["nodes", "flows", "updates"]);
    expect(unseen).toEqual([]);
  });

  it("tells apart what the account may not see, so that silence is never taken for health", () => {
    const { seen, unseen } = sources(all, holds("connection_units.view"));
    expect(names(seen)).toEqual(["flows", "updates"]);
    expect(names(unseen)).toEqual(["nodes"]);
  });

  it("has the parts that come later apart", () => {
    const geo = module("geo", 5, ["nodes.view"]);
    const withLater = [...all, { ...geo, overview: { ...geo.overview!, later: true } }];
    const { seen, later } = sources(withLater, holds("nodes.view", "connection_units.view"));
    expect(names(seen)).toEqual(["nodes", "flows", "updates"]);
    expect(names(later)).toEqual(["geo"]);
  });

  it("leaves the list of modules as it is", () => {
    sources(all, holds("nodes.view"));
    expect(names(all)).toEqual(["updates", "flows", "accounts", "nodes"]);
  });
});

describe("loadParts", () => {
  beforeEach(() => startI18n("en"));

  it("gives code and words of each part, in the order of the parts", async () => {
    const [slow, fast] = [{ Tile: () => null }, { Card: () => null }];
    let finish = (): void => undefined;
    const late = module("nodes", 10, undefined, slow);
    late.overview!.load = () => new Promise((resolve) => (finish = () => resolve({ default: slow })));
    const loading = loadParts([late, module("flows", 20, undefined, fast)]);
    finish();
    expect(await loading).toEqual([
      { name: "nodes", part: slow },
      { name: "flows", part: fast },
    ]);
    expect(i18next.hasResourceBundle("en", "nodes")).toBe(true);
    expect(i18next.hasResourceBundle("en", "flows")).toBe(true);
    expect(i18next.hasResourceBundle("en", "words")).toBe(true);
  });

  it("fails as a whole when the code of one part cannot be fetched, so that the page can offer another attempt", async () => {
    const gone = module("flows", 20);
    gone.overview!.load = () => Promise.reject(new Error("the file is gone"));
    await expect(loadParts([module("nodes", 10), gone])).rejects.toThrow("the file is gone");
  });

  it("is asked for once for the same parts, and again for others", async () => {
    const queries = new QueryClient();
    const [nodes, flows] = [module("nodes", 10), module("flows", 20)];
    await queries.fetchQuery(partsQuery([nodes]));
    await queries.fetchQuery(partsQuery([nodes]));
    expect(nodes.overview!.load).toHaveBeenCalledTimes(1);
    await queries.fetchQuery(partsQuery([nodes, flows]));
    expect(flows.overview!.load).toHaveBeenCalledTimes(1);
  });
});
