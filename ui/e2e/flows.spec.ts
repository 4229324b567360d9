import type { BrowserContextOptions, Page } from "@playwright/test";
import { createServer } from "node:net";
import { administrator, expect, isTold, passesGates, picture, sessionToken, signIn, test as base } from "./rig/test";
import { eventually, freePort } from "./rig/processes";
import type { Stand } from "./rig/stand";

interface Ready {
  token: string;
  node: string;
}

/** A panel of its own with an administrator, a license and one reporting node, made by the API. */
const test = base.extend<object, { ready: Ready }>({
  ready: [
    async ({ stand }, use) => {
      const { token } = await stand.call<{ token: string }>("", "POST", "/api/v1/setup/admin", administrator);
      await stand.call(token, "POST", "/api/v1/license/activate", { license_key: stand.licenseKey });
      const issued = await stand.call<{ token: string }>(token, "POST", "/api/v1/nodes/enrollment-tokens", {
        kind: "one_off",
      });
      await stand.runAgent("fra-01", issued.token);
      const node = await eventually("a reporting node", 90, async () =>
        (await stand.call<{ items: { id: string; state: string }[] }>(token, "GET", "/api/v1/nodes")).items.find(
          (item) => item.state === "online",
        ),
      );
      await stand.call(token, "POST", "/api/v1/setup/finish");
      await use({ token, node: node.id });
    },
    { scope: "worker", timeout: 360_000 },
  ],
});

test.describe.configure({ mode: "serial" });

const nodeName = /fra-01/;

async function open(page: Page, stand: Stand, path: string): Promise<void> {
  await signIn(page, stand.url);
  await page.goto(stand.url + path);
}

async function newFlow(stand: Stand, ready: Ready, name: string, graph?: unknown): Promise<string> {
  return (
    await stand.call<{ id: string }>(ready.token, "POST", "/api/v1/connection-units", {
      name,
      ...(graph ? { graph } : {}),
    })
  ).id;
}

const shadowsocks = (node: string, port: number) => ({
  nodes: [
    { key: "entry", kind: "entry", node_id: node, params: { listener: { protocol: "shadowsocks2022", port } } },
    { key: "exit", kind: "exit", node_id: node },
  ],
  edges: [{ from: "entry", to: "exit" }],
});

interface Drawn {
  nodes: { position?: unknown }[];
  edges: unknown[];
}

async function drawn(stand: Stand, ready: Ready, id: string): Promise<Drawn> {
  const { graph } = await stand.call<{ graph: Drawn }>(ready.token, "GET", `/api/v1/connection-units/${id}/draft`);
  return { ...graph, nodes: graph.nodes.map((block) => ({ ...block, position: undefined })) };
}

test("from a template to an installed version and its link", async ({ page, stand, ready }) => {
  expect(ready.node).not.toBe("");
  await open(page, stand, "/flows");
  await expect(page.getByText("No flow yet")).toBeVisible();
  await passesGates(page);
  await page.getByRole("button", { name: "From template" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Office");
  await dialog.getByRole("radio", { name: "Shadowsocks 2022" }).check();
  await dialog.getByLabel("Node", { exact: true }).first().click();
  await page.getByRole("option", { name: nodeName }).click();
  await dialog.getByLabel("Port").fill(String(await freePort()));
  await passesGates(page);
  await dialog.getByRole("button", { name: "Create flow" }).click();

  await expect(page.getByRole("heading", { name: "Office", level: 1 })).toBeVisible();
  await expect(page.getByText("Never applied")).toBeVisible();
  await expect(page.locator(".react-flow__node")).toHaveCount(2);
  await passesGates(page);
  await picture(page, "flow-graph");
  await page.getByRole("button", { name: "Compile plan" }).click();

  await expect(page.getByRole("heading", { name: /^Plan r/ })).toBeVisible();
  await expect(page.getByRole("button", { name: /^Apply$/ })).toBeVisible({ timeout: 60_000 });
  await passesGates(page);
  await picture(page, "flow-plan");
  await page.getByRole("button", { name: /^Apply$/ }).click();

  await expect(page.getByRole("heading", { name: "v1 is installed" })).toBeVisible({ timeout: 90_000 });
  await expect(page.getByText("v1 serves")).toBeVisible();
  await passesGates(page);
  await picture(page, "flow-applied");
  await replay(page);
  await page.getByRole("link", { name: "Issue links" }).click();

  await page
    .getByRole("button", { name: /^Connection link of/ })
    .first()
    .click();
  await page.getByRole("button", { name: "Reveal the link" }).click();
  await expect(page.getByText(/^ss:\/\//)).toBeVisible();
  await expect(page.getByText(/Matches v1/)).toBeVisible();
  await passesGates(page);
  await picture(page, "flow-link");
  const uri = await page.getByText(/^ss:\/\//).innerText();
  expect(await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))).not.toContain(
    uri.slice(5, 40),
  );
  await page.keyboard.press("Escape");
  await expect(page.getByText(/^ss:\/\//)).toBeHidden();
});

test("a client opens its subscription on a phone, in its language, and the settings say what it reads", async ({
  browser,
  page,
  stand,
  ready,
}) => {
  await open(page, stand, "/settings/subscriptions");
  await page.getByLabel("Name").fill("Office VPN");
  await page.getByLabel("Support address").fill("tg:resolve?domain=office");
  await page.getByLabel("Announcement").fill("Maintenance on Sunday");
  await passesGates(page);
  await picture(page, "subscription-settings");
  await page.getByRole("button", { name: "Save" }).click();
  await isTold(page, "Settings saved");

  const address = await subscription(stand, ready);
  const abroad: string[] = [];
  const visit = async (options: BrowserContextOptions) => {
    const context = await browser.newContext({ ...options, permissions: ["clipboard-read", "clipboard-write"] });
    const visitor = await context.newPage();
    visitor.on("request", (asked) => !asked.url().startsWith(stand.url) && abroad.push(asked.url()));
    await visitor.goto(address);
    await expect(visitor.getByRole("heading", { name: "Office VPN", level: 1 })).toBeVisible();
    return visitor;
  };
  const phone = await visit({ locale: "ru-RU", viewport: { width: 390, height: 844 }, userAgent: iPhone });
  await expect(phone.getByText("Maintenance on Sunday")).toBeVisible();
  await expect(phone.getByRole("link", { name: "Happ" }).first()).toHaveAttribute("href", /^happ:\/\/add\/http/);
  await expect(phone.getByRole("link", { name: "Shadowrocket" })).toBeVisible();
  await passesGates(phone);
  await picture(phone, "subscription-ru-phone");
  await phone.getByRole("button", { name: "Скопировать адрес" }).click();
  await expect(phone.getByRole("button", { name: "Скопировано" })).toBeVisible();
  expect(await phone.evaluate(() => navigator.clipboard.readText())).toContain(new URL(address).pathname);
  await phone.getByText("Другие устройства").click();
  await expect(phone.getByRole("link", { name: "v2rayNG" })).toBeVisible();
  await passesGates(phone);

  for (const [width, colorScheme] of [
    [390, "dark"],
    [1360, "light"],
  ] as const) {
    const visitor = await visit({ locale: "en-GB", viewport: { width, height: 860 }, colorScheme });
    await expect(visitor.getByRole("button", { name: "Copy the address" })).toBeVisible();
    await passesGates(visitor);
    await picture(visitor, `subscription-en-${width}-${colorScheme}`);
  }
  expect(abroad, "the page asks nobody else").toEqual([]);
});

const iPhone =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Version/17.5 Mobile/15E148 Safari/604.1";

/** Issues the address of the first client of the flow that the journey before has installed. */
async function subscription(stand: Stand, { token }: Ready): Promise<string> {
  const units = "/api/v1/connection-units";
  const flows = await stand.call<{ items: { id: string }[] }>(token, "GET", units);
  const { id } = flows.items[0]!;
  const { clients } = await stand.call<{ clients: { id: string }[] }>(token, "GET", `${units}/${id}`);
  const path = `${units}/${id}/clients/${clients[0]!.id}/public-link`;
  const { url } = await stand.call<{ url: string }>(token, "POST", path);
  return stand.url + new URL(url).pathname;
}

/** An apply that has ended is played again; a link to one of its moments opens it there. */
async function replay(page: Page): Promise<void> {
  const address = page.url();
  await page.getByRole("button", { name: "Replay" }).click();
  await expect(page).toHaveURL(/[?&]at=/);
  // It plays for some seconds: what is to be seen at its beginning is looked at where it stands still.
  await page.goto(`${address}?at=0`);
  const steps = page.getByRole("table", { name: "Steps by node" });
  await expect(steps.getByText("queued").first()).toBeVisible();
  await page.getByRole("button", { name: "Next change" }).click();
  await expect(page.getByRole("region", { name: "Drawing at this moment" })).toBeVisible();
  const link = page.url();
  expect(link).toContain("at=");
  await page.reload();
  await expect(page.getByRole("slider", { name: "Moment of the apply" })).toBeVisible();
  await passesGates(page);
  await page.getByRole("button", { name: "Close replay" }).click();
  await expect(page.getByRole("button", { name: "Replay" })).toBeVisible();
  await expect(steps.getByText("queued")).toHaveCount(0);
}

test("the same edits in the outline and on the canvas, by keyboard alone, give equal drafts", async ({
  page,
  stand,
  ready,
}) => {
  const byOutline = await newFlow(stand, ready, "By outline");
  const byGraph = await newFlow(stand, ready, "By graph");
  await signIn(page, stand.url);
  for (const [id, tab] of [
    [byOutline, "outline"],
    [byGraph, "graph"],
  ] as const) {
    await page.goto(`${stand.url}/flows/${id}/${tab}`);
    await expect(page.getByText("A blank flow")).toBeVisible();
    await passesGates(page);
    await page.getByRole("button", { name: "Add entry" }).first().press("Enter");
    const port = page.getByLabel("Port", { exact: true });
    await port.press("Control+a");
    await port.pressSequentially("8443");
    await port.press("Tab");
    await expect(port).toHaveValue("8443");
    await page.getByRole("button", { name: /^Add block/ }).press("Enter");
    await page.getByRole("menuitem", { name: /^Exit/ }).press("Enter");
    await expect.poll(async () => (await drawn(stand, ready, id)).nodes.length).toBe(2);
    await expect(page.getByText(/^Saved/)).toBeVisible();
    await passesGates(page);
    await picture(page, `flow-${tab}-keyboard`);
  }
  expect(await drawn(stand, ready, byOutline)).toEqual(await drawn(stand, ready, byGraph));
});

test("undo, redo, offline and reload lose nothing", async ({ page, stand, ready, context }) => {
  const id = await newFlow(stand, ready, "Autosave", shadowsocks(ready.node, 8388));
  await open(page, stand, `/flows/${id}/outline`);
  for (let step = 0; step < 5; step += 1) {
    await page.getByRole("button", { name: /^Add block/ }).click();
    await page.getByRole("menuitem", { name: /^Direct/ }).click();
  }
  await expect.poll(async () => (await drawn(stand, ready, id)).nodes.length).toBe(7);
  for (let step = 0; step < 5; step += 1) await page.getByRole("button", { name: "Undo" }).click();
  for (let step = 0; step < 3; step += 1) await page.getByRole("button", { name: "Redo" }).click();
  await expect.poll(async () => (await drawn(stand, ready, id)).nodes.length).toBe(5);

  await context.setOffline(true);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText("Not saved: offline")).toBeVisible();
  await context.setOffline(false);
  await expect.poll(async () => (await drawn(stand, ready, id)).nodes.length).toBe(4);
  await page.reload();
  await expect(page.getByText(/^Saved/)).toBeVisible();
});

test("two people on one draft: the bar, both drafts side by side, one choice", async ({
  page,
  stand,
  ready,
  context,
}) => {
  const id = await newFlow(stand, ready, "Shared", shadowsocks(ready.node, 8389));
  await open(page, stand, `/flows/${id}/outline`);
  await page.getByRole("button", { name: /^Level 1 fra-01 entry/ }).click();
  await context.setOffline(true);
  await page.getByLabel("Name", { exact: true }).fill("Mine");
  await expect(page.getByText("Not saved: offline")).toBeVisible();
  const theirs = shadowsocks(ready.node, 9000);
  await stand.call(ready.token, "PUT", `/api/v1/connection-units/${id}/draft`, { revision: 1, graph: theirs });
  await context.setOffline(false);
  await expect(page.getByText(/Somebody saved r2/)).toBeVisible();
  await passesGates(page);
  await page.getByRole("button", { name: "Compare" }).click();
  await expect(page.getByRole("dialog")).toContainText("Port: 8389 instead of 9000");
  await passesGates(page);
  await page.getByRole("dialog").getByRole("button", { name: "Keep mine" }).click();
  await expect.poll(async () => JSON.stringify(await drawn(stand, ready, id))).toContain("Mine");
});

test("a taken port has a way to its field and no way around", async ({ page, stand, ready }) => {
  const holder = createServer();
  await new Promise<void>((resolve) => holder.listen(0, "0.0.0.0", resolve));
  const { port } = holder.address() as { port: number };
  const id = await newFlow(stand, ready, "Taken port", shadowsocks(ready.node, port));
  const preview = () =>
    stand.call<{ conflicts: unknown[] }>(ready.token, "POST", `/api/v1/connection-units/${id}/plan/preview`);
  await eventually("the agent sees who holds the port", 60, async () =>
    (await preview()).conflicts.length > 0 ? true : undefined,
  );
  await open(page, stand, `/flows/${id}/graph`);
  await expect(page.getByRole("button", { name: /^Fix \d+ problem/ })).toBeVisible({ timeout: 60_000 });
  await page.getByRole("button", { name: /^Fix \d+ problem/ }).click();
  await expect(page.getByLabel("Port", { exact: true })).toBeFocused();
  await expect(page.getByRole("button", { name: /anyway/ })).toHaveCount(0);
  await passesGates(page);
  await picture(page, "flow-port-conflict");
  await new Promise((resolve) => holder.close(resolve));
});

test("roll back loads a version into the draft and installs nothing", async ({ page, stand, ready }) => {
  const flows = await stand.call<{ items: { id: string; name: string; installed_revision: number }[] }>(
    ready.token,
    "GET",
    "/api/v1/connection-units",
  );
  const office = flows.items.find((flow) => flow.name === "Office")!;
  await open(page, stand, `/flows/${office.id}/outline`);
  await page.getByRole("button", { name: /^Add block/ }).click();
  await page.getByRole("menuitem", { name: /^Direct/ }).click();
  await expect.poll(async () => (await drawn(stand, ready, office.id)).nodes.length).toBe(3);
  await page.getByRole("link", { name: /^Versions/ }).click();
  await page.getByRole("button", { name: /^Draft/ }).click();
  await page.getByRole("button", { name: /^v1/ }).click();
  await expect(page.getByText("loads v1 into the draft; nothing is installed until you apply")).toBeVisible();
  await passesGates(page);
  await picture(page, "flow-versions");
  await page.getByRole("button", { name: "Roll back" }).click();
  await isTold(page, "v1 is in the draft");
  await expect.poll(async () => (await drawn(stand, ready, office.id)).nodes.length).toBe(2);
  const after = await stand.call<{ installed_revision: number }>(
    ready.token,
    "GET",
    `/api/v1/connection-units/${office.id}`,
  );
  expect(after.installed_revision).toBe(office.installed_revision);
  await page.getByRole("link", { name: /^Versions/ }).click();
  await expect(page.getByText("Draft before roll back").first()).toBeVisible();
});

test("every page of a flow in Russian, light, on a phone", async ({ page, stand, ready }) => {
  const flows = await stand.call<{ items: { id: string; name: string; last_apply_id: string }[] }>(
    ready.token,
    "GET",
    "/api/v1/connection-units",
  );
  const office = flows.items.find((flow) => flow.name === "Office")!;
  await signIn(page, stand.url);
  expect(await sessionToken(page)).not.toBe("");
  await page.getByRole("button", { name: /^Account/ }).click();
  await page.getByRole("menuitemradio", { name: "Русский" }).click();
  await page.getByRole("menuitemradio", { name: "Светлая" }).click();
  await page.setViewportSize({ width: 390, height: 844 });
  for (const path of [
    "",
    `/${office.id}`,
    `/${office.id}/graph`,
    `/${office.id}/versions`,
    `/${office.id}/clients`,
    `/${office.id}/settings`,
    `/${office.id}/applies/${office.last_apply_id}`,
  ]) {
    await page.goto(`${stand.url}/flows${path}`);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await passesGates(page);
  }
});
