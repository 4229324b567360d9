import type { Page } from "@playwright/test";
import { inEveryLook } from "../../rig/looks";
import { test, type Populated } from "../../rig/populated";
import { eventually, freePort } from "../../rig/processes";
import type { Stand } from "../../rig/stand";
import { expect, isTold, passesGates, picture, signIn } from "../../rig/test";

test.describe.configure({ mode: "serial" });

interface Asset {
  state: string;
  reject_reason: string;
  version: { sha256: string } | null;
  nodes: { total: number; current: number };
}

const asset = ({ token, asset: id }: Populated, stand: Stand) =>
  stand.call<Asset>(token, "GET", `/api/v1/geo-assets/${id}`);

/** Waits until the file stands so. */
const stands = (populated: Populated, stand: Stand, state: string) =>
  eventually(`a file that is ${state}`, 180, async () => {
    const found = await asset(populated, stand);
    return found.state === state ? found : undefined;
  });

async function openFile(page: Page, stand: Stand): Promise<void> {
  await signIn(page, stand.url);
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Geo-assets" }).click();
  await page.getByRole("main").getByRole("link", { name: "geosite.dat" }).click();
  await expect(page.getByRole("heading", { name: "geosite.dat", level: 1 })).toBeVisible();
}

async function act(page: Page, name: string, verb: string, before?: () => Promise<void>): Promise<void> {
  await page.getByRole("button", { name }).click();
  const dialog = page.getByRole("dialog");
  await before?.();
  await passesGates(page);
  await dialog.getByRole("button", { name: verb, exact: true }).click();
  await expect(dialog).toBeHidden();
}

test("a file is on the nodes, and every list that holds a domain is found", async ({ page, stand, populated }) => {
  await stands(populated, stand, "current");
  await signIn(page, stand.url);
  await page.goto(`${stand.url}/geo`);
  const row = page.getByRole("row", { name: /geosite\.dat/ });
  await expect(row.getByText("3 categories")).toBeVisible();
  await expect(row.getByText(/^1 of /)).toBeVisible();
  await page.getByRole("textbox", { name: "Domain or address" }).fill("www.ads.example");
  await expect(page.getByRole("link", { name: "category-ads" })).toBeVisible();
  await inEveryLook(page, "geo", /category-ads/);
  await page.getByRole("link", { name: "category-ads" }).click();
  const drawer = page.getByRole("dialog", { name: "category-ads in geosite.dat" });
  await expect(drawer.getByText("ads.example", { exact: true })).toBeVisible();
  await drawer.getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: "streaming" }).click();
  await page.getByRole("dialog").getByRole("textbox").fill("video-299");
  await expect(page.getByRole("dialog").getByText("1 entry")).toBeVisible();
  await passesGates(page);
  await picture(page, "geo-category");
});

test("the editor completes categories and says those that are not there", async ({ page, stand, populated }) => {
  const flow = await categoryFlow(populated, stand, "Filtered", "category-ad");
  await signIn(page, stand.url);
  await page.goto(`${stand.url}/flows/${flow}/outline`);
  await page.getByRole("button", { name: /^Level 2 1 geosite:category-ad/ }).click();
  const missing = page.getByRole("list", { name: "Categories that are not there" });
  await expect(missing.getByText("category-ad is not in geosite.dat. Meant:")).toBeVisible();
  await passesGates(page);
  await picture(page, "geo-editor-missing");
  await missing.getByRole("button", { name: "category-ads" }).click();
  await expect(missing).toBeHidden();
  await page.getByRole("combobox", { name: "Geosite lists" }).fill("str");
  await page.getByRole("option", { name: "streaming" }).click();
  await picture(page, "geo-editor-completed");
});

test("a file without a category that a flow uses is refused, and nodes keep theirs", async ({
  page,
  stand,
  populated,
}) => {
  const before = await asset(populated, stand);
  const flow = await categoryFlow(populated, stand, "Without ads", "category-ads");
  await apply(populated, stand, flow);
  const { "category-ads": ads, ...rest } = stand.geo.lists;
  stand.geo.lists = rest;
  await openFile(page, stand);
  await act(page, "Update now…", "Update");
  await expect(page.getByText("Used categories are missing").first()).toBeVisible();
  await expect(page.getByText("geosite:category-ads", { exact: true })).toBeVisible();
  await expect(page.getByRole("link", { name: "Without ads" })).toHaveAttribute("href", `/flows/${flow}`);
  await inEveryLook(page, "geo-refused", "geosite:category-ads");
  const after = await asset(populated, stand);
  expect(after.version).toEqual(before.version);
  stand.geo.instead = { type: "text/html", body: "<!doctype html><title>Sign in</title>" };
  await act(page, "Update now…", "Update");
  await expect(page.getByText("A page instead of the file")).toBeVisible();
  stand.geo.instead = undefined;
  stand.geo.lists = { ...rest, "category-ads": ads! };
});

test("a new file waits, is compared, rolled out and rolled back", async ({ page, stand, populated }) => {
  const first = (await asset(populated, stand)).version!.sha256;
  stand.geo.lists = { ...stand.geo.lists, ru: ["example.ru", "new.example.ru"], "new-list": ["fresh.example"] };
  await openFile(page, stand);
  await act(page, "Update now…", "Update", () =>
    page.getByRole("checkbox", { name: "Roll it out when it is good" }).uncheck(),
  );
  await expect(page.getByText("Ready to roll out")).toBeVisible();
  await page.getByRole("link", { name: "Changes" }).click();
  await expect(page.getByText("new-list")).toBeVisible();
  await expect(page.getByText("+ new.example.ru")).toBeVisible();
  await inEveryLook(page, "geo-changes", "new-list");
  await act(page, "Roll out…", "Roll out");
  await isTold(page, "geosite.dat is being rolled out");
  const rolled = await stands(populated, stand, "current");
  expect(rolled.version!.sha256).not.toBe(first);
  await page.getByRole("link", { name: "Nodes" }).last().click();
  await expect(page.getByRole("row", { name: /fra-01/ }).getByText("Current")).toBeVisible();
  await inEveryLook(page, "geo-nodes", "fra-01");
  await page.getByRole("link", { name: "Versions" }).click();
  await act(page, "Roll back…", "Roll back");
  await eventually("the version before on the node", 120, async () => {
    const found = await asset(populated, stand);
    return found.version?.sha256 === first && found.nodes.current > 0 ? true : undefined;
  });
  await inEveryLook(page, "geo-versions", first.slice(0, 12));
  await page.goto(`${stand.url}/nodes/${populated.node}?tab=agent`);
  await expect(page.getByRole("region", { name: "Geo-assets" }).getByText(first.slice(0, 12))).toBeVisible();
  await passesGates(page);
  await picture(page, "geo-node");
});

/** A flow that blocks a category, as a draft. */
async function categoryFlow({ token, node }: Populated, stand: Stand, name: string, category: string) {
  const port = await freePort();
  const graph = {
    nodes: [
      { key: "entry", kind: "entry", node_id: node, params: { listener: { protocol: "shadowsocks2022", port } } },
      { key: "exit", kind: "exit", node_id: node },
      { key: "block", kind: "block" },
    ],
    edges: [
      { from: "entry", to: "block", match: { geosite: [category] } },
      { from: "entry", to: "exit" },
    ],
  };
  return (await stand.call<{ id: string }>(token, "POST", "/api/v1/connection-units", { name, graph })).id;
}

/** Installs the draft of a flow. */
async function apply({ token }: Populated, stand: Stand, id: string): Promise<void> {
  const call = <T>(method: string, path: string, body?: unknown) =>
    stand.call<T>(token, method, `/api/v1/connection-units/${id}${path}`, body);
  const plan = await call<{ id: string; revision: number }>("POST", "/plan/compile");
  await call("POST", "/apply", { id: plan.id, revision: plan.revision, force_apply: true });
  await eventually("an applied flow", 120, async () =>
    (await call<{ installed_revision: number }>("GET", "")).installed_revision > 0 ? true : undefined,
  );
}
