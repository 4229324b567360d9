import { join } from "node:path";
import type { Browser, Page } from "@playwright/test";
import { accessFaults } from "../rig/accessibility";
import { test as ready } from "../rig/ready";
import { inEveryLook } from "../rig/looks";
import { SiteServer } from "../rig/site-server";
import { expect, passesGates, picture, signIn } from "../rig/test";

/** The panel of the journeys, whose status pages a web server beside it serves from a folder. */
const test = ready.extend<object, { site: SiteServer }>({
  site: [
    async ({ stand }, use) => {
      const site = new SiteServer(join(stand.folder, "data", "statuspage", "public"));
      await site.serve();
      await use(site);
      site.close();
    },
    { scope: "worker" },
  ],
});

test.describe.configure({ mode: "serial" });

const soon = { timeout: 60_000 };
const nav = (page: Page) => page.getByRole("navigation", { name: "Main" });

async function openStatusPage(page: Page, url: string): Promise<void> {
  await signIn(page, url);
  await nav(page).getByRole("link", { name: "Status page" }).click();
  await expect(page.getByRole("heading", { name: "Status page", level: 1 })).toBeVisible();
}

/** Shows a published page to somebody who knows nothing of the panel, and looks at it as every page is looked at. */
async function asReader(browser: Browser, address: string, look: (page: Page) => Promise<void>): Promise<void> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(address);
  await look(page);
  expect(await accessFaults(page)).toEqual([]);
  await context.close();
}

test("a page is made, gets components, and is seen before anybody else sees it", async ({ page, stand, ready }) => {
  await stand.call(ready.token, "POST", "/api/v1/nodes", { name: "ams-secret-1", region: "Europe" });
  await openStatusPage(page, stand.url);
  await expect(page.getByText("No status page yet")).toBeVisible();
  await passesGates(page);
  await picture(page, "statuspage-empty");
  await page.getByRole("button", { name: "Create a status page" }).click();
  const dialog = page.getByRole("dialog", { name: "Create a status page" });
  await dialog.getByRole("textbox", { name: "Title" }).fill("Example VPN status");
  await dialog.getByRole("textbox", { name: "Word in the address" }).fill("service");
  await dialog.getByRole("button", { name: "Create a status page" }).click();
  await expect(page.getByText("Not deployed yet: nobody sees it.")).toBeVisible();

  await page.getByRole("checkbox", { name: "Also in Russian" }).check();
  await page.getByRole("textbox", { name: "Title, Russian" }).fill("Статус Example VPN");
  await page.getByRole("button", { name: "Add a group" }).click();
  const group = page.getByRole("dialog", { name: "Group of components" });
  await group.getByRole("textbox", { name: "Name of the group, English" }).fill("Locations");
  await group.getByRole("button", { name: "Apply" }).click();
  await page.getByRole("button", { name: "Add to Locations" }).click();
  const component = page.getByRole("dialog", { name: "Component" });
  await component.getByRole("combobox", { name: "Stands for" }).click();
  await page.getByRole("option", { name: "Node" }).click();
  await component.getByRole("combobox", { name: "Node" }).click();
  await page.getByRole("option", { name: /ams-secret-1/ }).click();
  await component.getByRole("textbox", { name: "Name for readers, English" }).fill("Amsterdam");
  await component.getByRole("textbox", { name: "Name for readers, Russian" }).fill("Амстердам");
  await passesGates(page);
  await picture(page, "statuspage-component");
  await component.getByRole("button", { name: "Apply" }).click();
  await page.getByRole("button", { name: "Add a component" }).click();
  await component.getByRole("combobox", { name: "Stands for" }).click();
  await page.getByRole("option", { name: "Set by hand" }).click();
  await component.getByRole("textbox", { name: "Name for readers, English" }).fill("Website");
  await component.getByRole("button", { name: "Apply" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  const preview = page.frameLocator('iframe[title="Preview"]');
  await expect(preview.getByRole("heading", { name: "Example VPN status" })).toBeVisible();
  await expect(preview.getByText("Amsterdam").first()).toBeVisible();
  await expect(preview.locator("body"), "its styles hold").toHaveCSS("margin-top", "0px");
  await passesGates(page);
  await inEveryLook(page, "statuspage-editor", /ams-secret-1/);
});

test("it is deployed to the panel and to a folder, after a look at what changes and where", async ({
  page,
  stand,
  site,
  browser,
}) => {
  await openStatusPage(page, stand.url);
  await page.getByRole("link", { name: "Deploys" }).click();
  await page.getByRole("button", { name: "Add a place" }).click();
  const place = page.getByRole("dialog", { name: "Add a place" });
  await place.getByRole("textbox", { name: "Name" }).fill("Panel");
  await place.getByRole("button", { name: "Add" }).click();
  await expect(page.getByRole("row", { name: /Panel/ })).toBeVisible();
  await page.getByRole("button", { name: "Add a place" }).click();
  await place.getByRole("combobox", { name: "Kind" }).click();
  await page.getByRole("option", { name: "Folder on this server" }).click();
  await place.getByRole("textbox", { name: "Name" }).fill("Web server");
  await place.getByRole("textbox", { name: "Folder" }).fill("public");
  await passesGates(page);
  await picture(page, "statuspage-place");
  await place.getByRole("button", { name: "Add" }).click();
  await expect(page.getByRole("row", { name: /Web server/ })).toBeVisible();

  await page.getByRole("button", { name: "Deploy…" }).click();
  const deploy = page.getByRole("dialog", { name: "Deploy the page?" });
  await expect(deploy.getByText(`${stand.url}/status/service`)).toBeVisible();
  await expect(deploy.getByText("index.html", { exact: true })).toBeVisible();
  await passesGates(page);
  await picture(page, "statuspage-deploy");
  await deploy.getByRole("button", { name: "Deploy", exact: true }).click();
  const going = page.getByRole("dialog", { name: "Deploying" });
  await expect(going.getByText("Live")).toHaveCount(3, soon);
  await page.keyboard.press("Escape");
  await passesGates(page);
  await inEveryLook(page, "statuspage-deploys", "Web server");

  for (const address of [`${stand.url}/status/service`, `${site.address}/`])
    await asReader(browser, address, async (reader) => {
      await expect(reader.getByRole("heading", { name: "Example VPN status" })).toBeVisible();
      await expect(reader.getByText("Data as of")).toBeVisible();
      expect(await reader.content()).not.toContain("ams-secret");
      await reader.getByRole("link", { name: "Русский" }).click();
      await expect(reader.getByText("Амстердам").first()).toBeVisible();
      await expect(reader.getByText("Данные на")).toBeVisible();
      await picture(reader, "statuspage-reader-ru");
    });
});

test("an incident is a draft until it is published, and readers see each word of it", async ({
  page,
  stand,
  site,
  browser,
}) => {
  await openStatusPage(page, stand.url);
  await page.getByRole("link", { name: "Incidents" }).click();
  await expect(page.getByText("No open incidents")).toBeVisible();
  await passesGates(page);
  await page.getByRole("button", { name: "Write an incident" }).click();
  const dialog = page.getByRole("dialog", { name: "Write an incident" });
  await dialog.getByRole("textbox", { name: "Title, English" }).fill("Slow connections");
  await dialog
    .getByRole("textbox", { name: "What happened, English" })
    .fill('We **look** into it. <script>alert("x")</script>');
  await dialog.getByRole("combobox", { name: "Affected components" }).click();
  await page.getByRole("option", { name: "Amsterdam" }).click();
  await page.keyboard.press("Tab");
  await passesGates(page);
  await picture(page, "statuspage-incident-new");
  await dialog.getByRole("button", { name: "Save as draft" }).click();
  await page.getByRole("link", { name: "Slow connections" }).click();
  await expect(page.getByRole("heading", { name: "Slow connections", level: 1 })).toBeVisible();
  await expect(page.getByText("Draft · Investigating")).toBeVisible();
  await asReader(browser, `${site.address}/`, async (reader) => {
    await expect(reader.getByText("Slow connections")).toHaveCount(0);
  });
  await page.getByRole("button", { name: "Publish…" }).click();
  await page
    .getByRole("dialog", { name: /Publish/ })
    .getByRole("button", { name: "Publish" })
    .click();
  await expect(page.getByText("Draft · Investigating")).toHaveCount(0);
  await page.getByRole("textbox", { name: "What happened, English" }).fill("A provider had an outage.");
  await page.getByRole("combobox", { name: "State" }).click();
  await page.getByRole("option", { name: "Identified" }).click();
  await page.getByRole("button", { name: "Tell readers" }).click();
  await expect(page.getByText("A provider had an outage.")).toBeVisible();
  await passesGates(page);
  await inEveryLook(page, "statuspage-incident", "A provider had an outage.");
  await expect(async () => {
    await asReader(browser, `${site.address}/`, async (reader) => {
      await expect(reader.getByRole("heading", { name: "Slow connections" })).toBeVisible();
      await expect(reader.getByText("A provider had an outage.")).toBeVisible();
      expect(await reader.content()).not.toContain("<script>alert");
    });
  }).toPass(soon);
});

test("maintenance is announced before it begins", async ({ page, stand, site }) => {
  await openStatusPage(page, stand.url);
  await page.getByRole("link", { name: "Maintenance" }).click();
  await page.getByRole("button", { name: "Announce maintenance" }).click();
  const dialog = page.getByRole("dialog", { name: "Announce maintenance" });
  await dialog.getByRole("textbox", { name: "Title, English" }).fill("New servers");
  await passesGates(page);
  await dialog.getByRole("button", { name: "Announce" }).click();
  await expect(page.getByRole("row", { name: /New servers/ })).toContainText("Planned");
  await passesGates(page);
  await picture(page, "statuspage-maintenance");
  const calendar = async () => (await fetch(`${site.address}/maintenance.ics`)).text();
  await expect.poll(calendar, soon).toContain("SUMMARY:New servers");
});

test("who may only see it changes nothing", async ({ page, stand, ready }) => {
  const nina = { username: "nina", password: "one more long sentence" };
  await stand.call(ready.token, "POST", "/api/v1/accounts", { ...nina, permissions: ["statuspage.view"] });
  await signIn(page, stand.url, nina);
  await page.goto(`${stand.url}/status-page`);
  await expect(page.getByRole("textbox", { name: "Title, English" })).toBeDisabled();
  await expect(page.getByRole("button", { name: "Deploy…" })).toHaveAccessibleDescription(
    "Needs the permission statuspage.deploy",
  );
  await passesGates(page);
  await page.getByRole("link", { name: "Deploys" }).click();
  await expect(page.getByRole("row", { name: /^Web server/ })).toContainText("Live");
  const session = await stand.call<{ token: string }>("", "POST", "/api/v1/auth/login", nina);
  const refused = stand.call(session.token, "POST", "/api/v1/statuspage/pages", { slug: "x", titles: { en: "x" } });
  await expect(refused).rejects.toThrow(/403.*permission_denied/);
});

test("the panel is gone, and the page says what was and how old it is", async ({ stand, site, browser }) => {
  await stand.stopPanel();
  const context = await browser.newContext();
  const reader = await context.newPage();
  await reader.clock.install({ time: Date.now() + 12 * 60_000 });
  await reader.goto(`${site.address}/`);
  await expect(reader.getByText("Slow connections").first()).toBeVisible();
  await expect(reader.getByRole("status")).toContainText(/This page has had no news for 1[1-4] min/);
  await picture(reader, "statuspage-alone");
  await context.close();
  const silent = await browser.newContext({ javaScriptEnabled: false });
  const plain = await silent.newPage();
  await plain.goto(`${site.address}/`);
  await expect(plain.getByText("Data as of")).toBeVisible();
  await expect(plain.getByText("Amsterdam").first()).toBeVisible();
  await silent.close();
});
