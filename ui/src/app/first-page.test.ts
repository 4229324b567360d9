import { QueryClient } from "@tanstack/react-query";
import i18next from "i18next";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { meQuery } from "@/api/access";
import { beginSession, endSession } from "@/api/session";
import { makeMe } from "@/testing/fixtures";
import { prepareFirstPage } from "./first-page";
import type { ModulePage } from "./modules";
import type { createPanelRouter } from "./router";

vi.mock("./router", () => ({ loadPage: (page: ModulePage) => page.load() }));
vi.mock("./modules", () => ({ modules: [] }));

const ahead = vi.fn(async (): Promise<unknown> => undefined);

function page(change: Partial<ModulePage> = {}): ModulePage {
  return {
    path: "/nodes",
    module: "nodes",
    title: { en: "Nodes", ru: "Ноды" },
    load: vi.fn(async () => ({ default: () => null, ahead })),
    ...change,
  };
}

function routerAt(shown: ModulePage | undefined, search: object = {}) {
  const load = vi.fn(async () => undefined);
  const state = { matches: [{ staticData: {} }, { staticData: { page: shown } }], location: { search } };
  return { load, state } as unknown as ReturnType<typeof createPanelRouter>;
}

function signedIn(permissions: string[], mustChange = false): QueryClient {
  beginSession("ps_test");
  const queries = new QueryClient();
  queries.setQueryDefaults(["accounts"], { staleTime: Infinity });
  const me = makeMe(permissions);
  queries.setQueryData(meQuery.queryKey, { ...me, account: { ...me.account, must_change_password: mustChange } });
  return queries;
}

beforeEach(() => ahead.mockClear());
afterEach(() => {
  endSession();
  vi.useRealTimers();
});

describe("the words that modules say on screens of others", () => {
  const loaded = () => i18next.hasResourceBundle("en", "words");

  it("come when somebody is signed in, beside the first page", async () => {
    await prepareFirstPage(routerAt(page({ frame: "bare" })), new QueryClient());
    expect(loaded()).toBe(false);
    beginSession("ps_test");
    await expect.poll(loaded).toBe(true);
  });
});

describe("what the first page shows", () => {
  it("is asked for before the page is drawn, with what the address says", async () => {
    const queries = signedIn(["nodes.view"]);
    await prepareFirstPage(routerAt(page({ needs: ["nodes.view"] }), { q: "fra" }), queries);
    expect(ahead).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ queries, search: { q: "fra" } }));
  });

  it("asks by the permissions of the account", async () => {
    await prepareFirstPage(routerAt(page()), signedIn(["nodes.view"]));
    const [[{ can }]] = ahead.mock.calls as unknown as [[{ can: (...keys: string[]) => boolean }]];
    expect([can("nodes.view"), can("flows.view")]).toEqual([true, false]);
  });

  it.each([
    ["the account may not see it", () => signedIn(["flows.view"])],
    ["a password has to be chosen first", () => signedIn(["*"], true)],
    ["nobody is signed in", () => new QueryClient()],
  ])("is not asked for when %s: a refusal would stand in the journal", async (_, queries) => {
    const shown = page({ needs: ["nodes.view"] });
    await prepareFirstPage(routerAt(shown), queries());
    expect(shown.load).toHaveBeenCalledOnce();
    expect(ahead).not.toHaveBeenCalled();
  });

  it("is not asked for by a page outside of the shell", async () => {
    await prepareFirstPage(routerAt(page({ frame: "bare" })), signedIn(["*"]));
    expect(ahead).not.toHaveBeenCalled();
  });
});

describe("the first page", () => {
  it("has its words, and those of the frame around it", async () => {
    await prepareFirstPage(routerAt(page({ module: "pools" })), signedIn(["*"]));
    for (const name of ["app", "pools", "operations", "words"])
      expect(i18next.hasResourceBundle("en", name), name).toBe(true);
  });

  it("brings the code that stands beside its own", async () => {
    const alongside = vi.fn(async () => undefined);
    await prepareFirstPage(routerAt(page({ alongside })), signedIn(["*"]));
    expect(alongside).toHaveBeenCalledOnce();
  });

  it("is drawn without what has not come after 400 ms", async () => {
    vi.useFakeTimers();
    ahead.mockImplementationOnce(() => new Promise(() => undefined));
    let drawn = false;
    void prepareFirstPage(routerAt(page()), signedIn(["*"])).then(() => (drawn = true));
    await vi.advanceTimersByTimeAsync(399);
    expect(drawn).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await vi.waitFor(() => expect(drawn).toBe(true));
  });

  it.each([
    ["its code", page({ load: () => Promise.reject(new Error("the file is gone")) })],
    ["what it shows", page({ load: async () => ({ default: () => null, ahead: () => Promise.reject(new Error()) }) })],
  ])("is drawn when %s cannot be fetched: the page itself says so", async (_, shown) => {
    await expect(prepareFirstPage(routerAt(shown), signedIn(["*"]))).resolves.toBeUndefined();
  });

  it("needs nothing where the address leads nowhere", async () => {
    await expect(prepareFirstPage(routerAt(undefined), signedIn(["*"]))).resolves.toBeUndefined();
  });
});
