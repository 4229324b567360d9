import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { describe, expect, it } from "vitest";
import { renderApp } from "@/testing/render-app";
import NodePart from "../parts/node-part";
import {
  assetId,
  flowId,
  makeAsset,
  makeCategory,
  makeChanges,
  makeHeld,
  makeHolder,
  makeKept,
  makeVersion,
  nodeId,
  pageOf,
  serve,
  sum,
} from "../testing";
import CategoriesPage from "./categories-page";
import ChangesPage from "./changes-page";
import NodesPage from "./nodes-page";
import VersionsPage from "./versions-page";

const under = `/geo-assets/${assetId}`;

async function page(view: ReactNode, replies: Parameters<typeof serve>[0], part = "", search = "") {
  const served = serve({ [`GET ${under}`]: { body: makeAsset() }, ...replies });
  const drawn = await renderApp(view, {
    queries: served.queries,
    route: `/geo/$id${part}`,
    path: `/geo/${assetId}${part}${search}`,
  });
  return { ...served, ...drawn };
}

const versions = `GET ${under}/versions`;

describe("versions of a file", () => {
  it("say which nodes have, and lead to what changed", async () => {
    await page(<VersionsPage />, {
      [versions]: { body: { items: [makeKept("current", "a"), makeKept("previous", "b")] } },
    });
    expect(await screen.findByText("On the nodes")).toBeInTheDocument();
    expect(screen.getByText("12 current")).toBeInTheDocument();
    const link = screen.getByRole("link", { name: "Compare" });
    expect(link).toHaveAttribute("href", expect.stringContaining(`from=${sum("b")}`));
    expect(link).toHaveAttribute("href", expect.stringContaining(`to=${sum("a")}`));
  });

  it("say what a refused file lacks and who uses it", async () => {
    const missing = [{ token: "geosite:ru-blocked", flow_ids: [flowId] }];
    const refused = makeAsset({ state: "rejected", reject_reason: "geo_category_missing", missing });
    await page(<VersionsPage />, {
      [`GET ${under}`]: { body: refused },
      [versions]: { body: { items: [] } },
      [`GET /connection-units/${flowId}`]: { body: { id: flowId, name: "Office" } },
    });
    const note = within((await screen.findByText("geosite:ru-blocked")).closest<HTMLElement>("[role=status]")!);
    expect(await note.findByRole("link", { name: "Office" })).toHaveAttribute("href", `/flows/${flowId}`);
    expect(note.getByText("Nodes keep the file that they have.")).toBeInTheDocument();
  });

  it("are rolled back at once", async () => {
    const { written } = await page(<VersionsPage />, {
      [versions]: { body: { items: [makeKept("current", "a")] } },
      [`POST ${under}/rollback`]: { status: 202, body: makeAsset() },
    });
    await userEvent.click(await screen.findByRole("button", { name: "Roll back…" }));
    await userEvent.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Roll back" }));
    await waitFor(() => expect(written()).toHaveLength(1));
  });

  it("of a database of places are all that is there of it", async () => {
    const places = makeAsset({ file: "mmdb", name: "country.mmdb", on_nodes: false });
    await page(<VersionsPage />, { [`GET ${under}`]: { body: places }, [versions]: { body: { items: [] } } });
    const tabs = within(await screen.findByRole("navigation", { name: "country.mmdb" }));
    expect(tabs.getAllByRole("link")).toHaveLength(1);
  });
});

describe("categories of a file", () => {
  const categories = `GET ${under}/categories`;

  it("are opened and searched within", async () => {
    const { asked, address } = await page(
      <CategoriesPage />,
      {
        [categories]: pageOf(makeCategory(), makeCategory({ category: "ru", used_by: [], used_by_count: 0 })),
        [`${categories}/ru`]: pageOf({ kind: "domain", value: "example.ru", attributes: ["ads"] }),
      },
      "/categories",
    );
    expect(await screen.findByText("used by 1 flow")).toBeInTheDocument();
    await userEvent.click(screen.getByRole("button", { name: "ru" }));
    const dialog = within(await screen.findByRole("dialog", { name: "ru in geosite.dat" }));
    expect(await dialog.findByText("example.ru")).toBeInTheDocument();
    expect(dialog.getByText("@ads")).toBeInTheDocument();
    expect(address()).toContain("open=ru");
    expect(asked.some(({ path }) => path === `${under}/categories/ru`)).toBe(true);
  });

  it("say when none is named so", async () => {
    await page(<CategoriesPage />, { [categories]: pageOf() }, "/categories", "?q=zzz");
    expect(await screen.findByText("No such category")).toBeInTheDocument();
  });
});

describe("changes of a file", () => {
  it("show what waits against what nodes have", async () => {
    const candidate = makeVersion({ sha256: sum("c") });
    const { asked } = await page(
      <ChangesPage />,
      {
        [`GET ${under}`]: { body: makeAsset({ candidate }) },
        [versions]: { body: { items: [makeKept("candidate", "c"), makeKept("current", "a")] } },
        [`GET ${under}/changes`]: { body: makeChanges() },
      },
      "/changes",
    );
    expect(await screen.findByText("1 new category")).toBeInTheDocument();
    expect(screen.getByText("new-list")).toBeInTheDocument();
    expect(screen.getByText("+1,200")).toBeInTheDocument();
    expect(screen.getByText("− old.example")).toBeInTheDocument();
    expect(asked.some(({ path }) => path === `${under}/changes`)).toBe(true);
  });

  it("need two versions", async () => {
    await page(<ChangesPage />, { [versions]: { body: { items: [makeKept("current", "a")] } } }, "/changes");
    expect(await screen.findByText("Nothing to compare")).toBeInTheDocument();
  });
});

describe("nodes", () => {
  it("say which version they have, and why one did not take it", async () => {
    const failed = makeHolder({ node_id: "n2", node_name: "fra-01", state: "failed", error: "no room", sha256: "" });
    await page(<NodesPage />, { [`GET ${under}/nodes`]: pageOf(makeHolder(), failed) }, "/nodes");
    const row = within((await screen.findByRole("link", { name: "fra-01" })).closest("tr")!);
    expect(row.getByText("no room")).toBeInTheDocument();
    expect(row.getByText("Failed")).toBeInTheDocument();
  });

  it("have a card with their files, and none where there are no files", async () => {
    const path = `GET /geo-assets/of-node/${nodeId}`;
    const drawn = serve({ [path]: { body: { items: [makeHeld({ state: "waiting", sha256: "" })] } } });
    await renderApp(<NodePart id={nodeId} />, { queries: drawn.queries });
    expect(await screen.findByRole("link", { name: "geosite.dat" })).toHaveAttribute("href", `/geo/${assetId}`);
    expect(screen.getByText("Waiting")).toBeInTheDocument();
    expect(screen.getByText("no file yet")).toBeInTheDocument();
  });
});
