import { createServer as createSecureServer } from "node:https";
import { createServer, type AddressInfo, type Server } from "node:net";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { makeCertificate } from "../rig/certificate";
import { inBothThemes } from "../rig/looks";
import { test, type Populated } from "../rig/populated";
import { eventually, freePort } from "../rig/processes";
import { expect, isTold, signIn } from "../rig/test";
import type { Stand } from "../rig/stand";

const units = "/api/v1/connection-units";

interface Listener {
  port: number;
  [field: string]: unknown;
}

interface Shown {
  installed_version_number: number | null;
  installed_revision: number | null;
  draft_revision: number;
}

const drawing = (node: string, listener: Listener, more: { edges?: object[] } = {}) => ({
  nodes: [
    { key: "entry", kind: "entry", node_id: node, params: { listener: { protocol: "shadowsocks2022", ...listener } } },
    { key: "exit", kind: "exit", node_id: node },
    { key: "no", kind: "block" },
  ],
  edges: [{ from: "entry", to: "exit" }, ...(more.edges ?? [])],
});

const refusing = (name: string) => ({ edges: [{ from: "entry", to: "no", priority: 1, match: { domain: [name] } }] });

async function draw(stand: Stand, { token }: Populated, name: string, graph: unknown): Promise<string> {
  return (await stand.call<{ id: string }>(token, "POST", units, { name, graph })).id;
}

async function save(stand: Stand, { token }: Populated, flow: string, graph: unknown): Promise<void> {
  const { revision } = await stand.call<{ revision: number }>(token, "GET", `${units}/${flow}/draft`);
  await stand.call(token, "PUT", `${units}/${flow}/draft`, { revision, graph });
}

const shown = (stand: Stand, { token }: Populated, flow: string) => stand.call<Shown>(token, "GET", `${units}/${flow}`);

async function compile(page: Page, stand: Stand, flow: string): Promise<void> {
  await page.goto(`${stand.url}/flows/${flow}/graph`);
  await page.getByRole("button", { name: "Compile plan" }).click();
  await expect(page.getByRole("heading", { name: /^Plan r/ })).toBeVisible();
}

async function applied(page: Page, number: number): Promise<void> {
  await page.getByRole("button", { name: "Apply", exact: true }).click({ timeout: 90_000 });
  await expect(page.getByRole("heading", { name: `v${number} is installed` })).toBeVisible({ timeout: 120_000 });
}

/** Installs a first version by the API, past what this machine cannot confirm. */
async function install(stand: Stand, populated: Populated, flow: string): Promise<void> {
  const { token } = populated;
  const plan = await stand.call<{ id: string; revision: number }>(token, "POST", `${units}/${flow}/plan/compile`);
  await eventually("a plan that is checked", 60, async () => {
    const { checking } = await stand.call<{ checking: boolean }>(token, "GET", `${units}/${flow}/plans/${plan.id}`);
    return checking ? undefined : true;
  });
  await stand.call(token, "POST", `${units}/${flow}/apply`, {
    id: plan.id,
    revision: plan.revision,
    force_apply: true,
  });
  await eventually("a version that serves", 90, async () =>
    (await shown(stand, populated, flow)).installed_version_number === 1 ? true : undefined,
  );
}

const noWayAround = (page: Page) => expect(page.getByRole("button", { name: /anyway/ })).toHaveCount(0);

// Journey 6: the version of before serves until the apply is done, and the journal says who did it.
test("a plan shows what changes, and its apply is in the journal", async ({ page, stand, populated }) => {
  const port = await freePort();
  const flow = await draw(stand, populated, "Shown change", drawing(populated.node, { port }));
  await install(stand, populated, flow);
  await save(stand, populated, flow, drawing(populated.node, { port }, refusing("ads.example")));
  await signIn(page, stand.url);
  await compile(page, stand, flow);
  await expect(page.getByText("compared with installed v1")).toBeVisible();
  await expect(page.getByText(/ads\.example/).first()).toBeVisible();
  expect((await shown(stand, populated, flow)).installed_version_number, "a plan installs nothing").toBe(1);
  await applied(page, 2);
  await expect(page.getByText("v2 serves")).toBeVisible();
  await page.goto(`${stand.url}/audit?action=flow.apply_succeeded`);
  await expect(page.getByText("Shown change").first()).toBeVisible();
});

// Journey 7: an error of the compiler, a taken port and a draft that has moved on have a fix and no force.
test("errors, a taken port and a stale plan have no way around", async ({ page, stand, populated }) => {
  await signIn(page, stand.url);
  const port = await freePort();
  const broken = await draw(stand, populated, "No way out", {
    nodes: [drawing(populated.node, { port }).nodes[0]],
    edges: [],
  });
  await page.goto(`${stand.url}/flows/${broken}/graph`);
  await expect(page.getByRole("button", { name: /^Fix \d+ problem/ })).toBeVisible({ timeout: 60_000 });
  await noWayAround(page);
  await inBothThemes(page, "plan-errors");

  const stale = await draw(stand, populated, "Moved on", drawing(populated.node, { port }));
  await compile(page, stand, stale);
  await save(stand, populated, stale, drawing(populated.node, { port }, refusing("later.example")));
  await expect(page.getByText("Outdated", { exact: true }).first()).toBeVisible({ timeout: 60_000 });
  await expect(page.getByRole("button", { name: "Compile again" })).toBeVisible();
  await noWayAround(page);
  await inBothThemes(page, "plan-outdated");

  const holder = await listen();
  try {
    const { port: taken } = holder.address() as { port: number };
    const held = await draw(stand, populated, "Taken", drawing(populated.node, { port: taken }));
    await compile(page, stand, held);
    await expect(page.getByRole("link", { name: "Open the draft" }).first()).toBeVisible({ timeout: 90_000 });
    await expect(page.getByText(/cannot be applied/).first()).toBeVisible();
    await noWayAround(page);
    await inBothThemes(page, "plan-conflict");
  } finally {
    holder.close();
  }
});

async function listen(): Promise<Server> {
  const holder = createServer();
  await new Promise<void>((resolve) => holder.listen(0, "0.0.0.0", resolve));
  return holder;
}

// Journey 8: what nobody could confirm is passed by the typed name alone, and stays marked on the version.
test("checks that were not confirmed are passed by keyboard with the typed name, and the version says so", async ({
  page,
  stand,
  populated,
}) => {
  const site = await oldSite(stand);
  const { port: standsAt } = site.address() as AddressInfo;
  const listener = {
    port: await freePort(),
    protocol: "vless",
    security: "reality",
    reality: { target: `127.0.0.1:${standsAt}`, server_names: ["www.example.org"], allow_private_target: true },
  };
  const flow = await draw(stand, populated, "Forced office", drawing(populated.node, listener));
  await signIn(page, stand.url);
  await compile(page, stand, flow);
  const anyway = page.getByRole("button", { name: "Apply anyway…" });
  await expect(anyway).toBeVisible({ timeout: 120_000 });
  await anyway.press("Enter");
  const dialog = page.getByRole("dialog", { name: /^Apply past the checks/ });
  const act = dialog.getByRole("button", { name: "Apply anyway" });
  await expect(dialog.getByText(/stay in force/)).toBeVisible();
  await dialog.getByRole("textbox").focus();
  await page.keyboard.type("Forced offic");
  await expect(act).toHaveAccessibleDescription(/.+/);
  await page.keyboard.type("e");
  await inBothThemes(page, "plan-force");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "v1 is installed" })).toBeVisible({ timeout: 120_000 });
  await page.goto(`${stand.url}/flows/${flow}/versions`);
  await expect(page.getByText(/\d checks? bypassed/).first()).toBeVisible();
  await inBothThemes(page, "versions-bypassed");
  site.close();
});

/** A site of this machine without HTTP/2: a check does not find it suitable, and REALITY can stand before it. */
async function oldSite(stand: Stand): Promise<Server> {
  const { chain, key } = await makeCertificate(join(stand.folder, "old-site"), ["www.example.org"], 30);
  const site = createSecureServer({ cert: chain, key }, (_, response) => response.end("a page"));
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  return site;
}

// Journey 9: going back changes the draft alone; what runs changes with the apply.
test("going back to a version changes what runs only once it is applied", async ({ page, stand, populated }) => {
  const port = await freePort();
  const flow = await draw(stand, populated, "There and back", drawing(populated.node, { port }));
  await install(stand, populated, flow);
  await save(stand, populated, flow, drawing(populated.node, { port }, refusing("never.example")));
  await signIn(page, stand.url);
  await compile(page, stand, flow);
  await applied(page, 2);
  const before = await shown(stand, populated, flow);
  await page.goto(`${stand.url}/flows/${flow}/versions`);
  await page.getByRole("button", { name: /^Draft/ }).click();
  await page.getByRole("button", { name: /^v1/ }).click();
  await page.getByRole("button", { name: "Roll back" }).click();
  await isTold(page, "v1 is in the draft");
  expect((await shown(stand, populated, flow)).installed_revision).toBe(before.installed_revision);
  await compile(page, stand, flow);
  await applied(page, 3);
  const { graph } = await stand.call<{ graph: { edges: object[] } }>(populated.token, "GET", `${units}/${flow}/draft`);
  expect(graph.edges).toHaveLength(1);
});

// Journey 10: whoever saves second chooses; the other choice than to keep one's own is to take the other draft.
test("of two people on one draft the second takes what the first has saved", async ({ browser, stand, populated }) => {
  const port = await freePort();
  const flow = await draw(stand, populated, "Two people", drawing(populated.node, { port }));
  const people = await Promise.all([browser.newContext(), browser.newContext()]);
  const [first, second] = await Promise.all(people.map((one) => one.newPage()));
  for (const page of [first!, second!]) {
    await signIn(page, stand.url);
    await page.goto(`${stand.url}/flows/${flow}/outline`);
    await page.getByRole("button", { name: /^Level 1 fra-01 entry/ }).click();
  }
  await people[1]!.setOffline(true);
  await second!.getByLabel("Name", { exact: true }).fill("Written second");
  await expect(second!.getByText("Not saved: offline")).toBeVisible();
  await first!.getByLabel("Name", { exact: true }).fill("Written first");
  await expect(first!.getByText(/^Saved/)).toBeVisible();
  await people[1]!.setOffline(false);
  const bar = second!.getByRole("alert").filter({ hasText: "Somebody saved" });
  await expect(bar).toBeVisible();
  await inBothThemes(second!, "conflict-bar");
  await bar.getByRole("button", { name: "Take theirs" }).click();
  await expect(bar).toHaveCount(0);
  await expect(second!.getByLabel("Name", { exact: true })).toHaveValue("Written first");
  const { graph } = await stand.call<{ graph: object }>(populated.token, "GET", `${units}/${flow}/draft`);
  expect(JSON.stringify(graph)).toContain("Written first");
  expect(JSON.stringify(graph)).not.toContain("Written second");
  for (const one of people) await one.close();
});
