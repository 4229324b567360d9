import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { renderApp } from "@/testing/render-app";
import { asksAgain } from "./api";
import GeoPage from "./geo-page";
import { assetId, makeAsset, makeLookup, makeVersion, pageOf, presets, serve, sum } from "./testing";

const list = "GET /geo-assets";
const lookup = "GET /geo-assets/lookup";

async function page(replies: Parameters<typeof serve>[0], permissions?: string[], path = "/geo") {
  const served = serve({ "GET /geo-assets/presets": { body: { items: presets } }, ...replies }, permissions);
  const drawn = await renderApp(<GeoPage />, { queries: served.queries, route: "/geo", path });
  return { ...served, ...drawn };
}

const menuOf = async (name: string) => {
  await userEvent.click(await screen.findByRole("button", { name: `Actions for ${name}` }));
  return within(await screen.findByRole("menu"));
};

describe("geo-assets", () => {
  it("are asked for again while something goes on, and more rarely while a node has yet to take a file", () => {
    const still = makeAsset();
    const awaited = makeAsset({ nodes: { total: 12, current: 11, waiting: 1, failed: 0 } });
    const rolling = makeAsset({ state: "distributing" });
    expect(asksAgain([still])).toBe(false);
    expect(asksAgain([])).toBe(false);
    expect(asksAgain([still, awaited])).toBe(15_000);
    expect(asksAgain([awaited, rolling])).toBe(3_000);
  });

  it("say how each file stands, and what it holds", async () => {
    await page({ [list]: pageOf(makeAsset({ nodes: { total: 12, current: 9, waiting: 2, failed: 1 } })) });
    const row = within((await screen.findByRole("link", { name: "geosite.dat" })).closest("tr")!);
    expect(row.getByText("Current")).toBeInTheDocument();
    expect(row.getByText("1400 categories")).toBeInTheDocument();
    expect(row.getByText("133,747 entries")).toBeInTheDocument();
    expect(row.getByText("9 of 12")).toBeInTheDocument();
    expect(row.getByText("1 failed")).toBeInTheDocument();
  });

  it("say why a file was refused", async () => {
    await page({ [list]: pageOf(makeAsset({ state: "rejected", reject_reason: "geo_category_missing" })) });
    expect(await screen.findByText("Used categories are missing")).toBeInTheDocument();
  });

  it("of a newer panel are refused for some reason", async () => {
    await page({ [list]: pageOf(makeAsset({ state: "rejected", reject_reason: "unheard_of" as never })) });
    expect(await screen.findAllByText("Refused")).toHaveLength(2);
  });

  it("are fetched and rolled out, or only fetched", async () => {
    const { written } = await page({
      [list]: pageOf(makeAsset()),
      [`POST /geo-assets/${assetId}/update`]: { status: 202, body: { operation_id: "o" } },
    });
    await userEvent.click((await menuOf("geosite.dat")).getByRole("menuitem", { name: "Update now…" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Update geosite.dat?" }));
    await userEvent.click(dialog.getByRole("checkbox", { name: "Roll it out when it is good" }));
    await userEvent.click(dialog.getByRole("button", { name: "Update" }));
    await waitFor(() =>
      expect(written()).toEqual([
        { method: "POST", path: `/geo-assets/${assetId}/update`, body: { distribute: false } },
      ]),
    );
  });

  it("close acts that make no sense now, and say why", async () => {
    await page({ [list]: pageOf(makeAsset({ state: "distributing", previous: null })) });
    const menu = await menuOf("geosite.dat");
    expect(menu.getByRole("menuitem", { name: "Update now…" })).toHaveAttribute(
      "title",
      "Wait until the current update has ended.",
    );
    expect(menu.getByRole("menuitem", { name: "Roll back…" })).toHaveAttribute(
      "title",
      "There is no previous version.",
    );
  });

  it("roll out what waits", async () => {
    const { written } = await page({
      [list]: pageOf(makeAsset({ state: "ready", candidate: makeVersion({ sha256: sum("c") }) })),
      [`POST /geo-assets/${assetId}/distribute`]: { status: 202, body: makeAsset() },
    });
    await userEvent.click((await menuOf("geosite.dat")).getByRole("menuitem", { name: "Roll out…" }));
    const dialog = within(await screen.findByRole("dialog"));
    expect(dialog.getByText(sum("c").slice(0, 12))).toBeInTheDocument();
    await userEvent.click(dialog.getByRole("button", { name: "Roll out" }));
    await waitFor(() => expect(written()).toHaveLength(1));
  });

  it("are removed only after their name was typed", async () => {
    const { written } = await page({
      [list]: pageOf(makeAsset()),
      [`DELETE /geo-assets/${assetId}`]: { status: 409, body: { status: 409, code: "geo_asset_in_use" } },
    });
    await userEvent.click((await menuOf("geosite.dat")).getByRole("menuitem", { name: "Remove…" }));
    const dialog = within(await screen.findByRole("dialog"));
    expect(dialog.getByRole("button", { name: "Remove" })).toHaveAttribute("aria-disabled", "true");
    await userEvent.type(dialog.getByRole("textbox"), "geosite.dat");
    await userEvent.click(dialog.getByRole("button", { name: "Remove" }));
    expect(await dialog.findByText(/Flows use categories of this file/)).toBeInTheDocument();
    expect(written()).toHaveLength(1);
  });

  it("are added from a preset", async () => {
    const { written } = await page({ [list]: pageOf(), "POST /geo-assets": { status: 201, body: makeAsset() } });
    await screen.findByText("No geo-assets yet");
    await userEvent.click(screen.getByRole("button", { name: "Add a file" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Add a file" }));
    await waitFor(() =>
      expect(dialog.getByRole("textbox", { name: "Address of the file" })).toHaveValue(presets[0]!.source_url),
    );
    await userEvent.click(dialog.getByRole("button", { name: "Add and fetch" }));
    await waitFor(() => expect(written()[0]?.body).toMatchObject({ preset: "v2fly", file: "geosite", update: true }));
  });

  it("are changed from the revision that is shown", async () => {
    const { written } = await page({
      [list]: pageOf(makeAsset()),
      [`PATCH /geo-assets/${assetId}`]: { body: makeAsset({ pinned: true }) },
    });
    await userEvent.click((await menuOf("geosite.dat")).getByRole("menuitem", { name: "Change…" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Change geosite.dat" }));
    await userEvent.click(dialog.getByRole("checkbox", { name: "Keep the version that it has" }));
    await userEvent.click(dialog.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(written()[0]?.body).toMatchObject({ pinned: true, revision: 4 }));
  });

  it("are only looked at without the right", async () => {
    await page({ [list]: pageOf(makeAsset()) }, ["geo_assets.view"]);
    expect(await screen.findByRole("button", { name: "Add a file" })).toHaveAttribute("aria-disabled", "true");
  });
});

describe("the search over all lists", () => {
  it("says every category that holds a domain", async () => {
    const { address } = await page({ [list]: pageOf(makeAsset()), [lookup]: { body: makeLookup() } });
    await userEvent.type(await screen.findByRole("textbox", { name: "Domain or address" }), "www.example.org");
    const found = within(await screen.findByRole("list", { name: "Categories that hold it" }));
    expect(found.getByRole("link", { name: "category-ads" })).toHaveAttribute(
      "href",
      expect.stringContaining(`/geo/${assetId}/categories?open=category-ads`),
    );
    expect(found.getByText("used by 2 flows")).toBeInTheDocument();
    expect(address()).toContain("find=www.example.org");
  });

  it("says where an address is, and that no list holds it", async () => {
    const nowhere = makeLookup({
      query: "192.0.2.1",
      kind: "address",
      matches: [],
      country: "NL",
      network: { asn: 64500, name: "Example" },
    });
    await page({ [list]: pageOf(makeAsset()), [lookup]: { body: nowhere } }, ["*"], "/geo?find=192.0.2.1");
    expect(await screen.findByText("NL · AS64500 Example")).toBeInTheDocument();
    expect(screen.getByText("No list holds 192.0.2.1.")).toBeInTheDocument();
  });
});
