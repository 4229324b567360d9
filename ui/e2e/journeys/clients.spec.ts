import type { Page } from "@playwright/test";
import { inBothThemes, inEveryLook } from "../rig/looks";
import { test, type Populated } from "../rig/populated";
import { expect, passesGates, picture, signIn } from "../rig/test";
import { eventually } from "../rig/processes";
import type { Stand } from "../rig/stand";

interface Listed {
  items: { id: string; label: string; state: string; quota: { bytes: number; reset: string } | null }[];
}

/** Installs what waits for an apply of the flow. */
async function apply(stand: Stand, { token, flow }: Populated): Promise<void> {
  const path = `/api/v1/connection-units/${flow}`;
  const plan = await stand.call<{ id: string; revision: number }>(token, "POST", `${path}/plan/compile`);
  await eventually("a plan that is checked", 60, async () => {
    const { state } = await stand.call<{ state: string }>(token, "GET", `${path}/plans/${plan.id}`);
    return ["ready", "blocked", "compiled"].includes(state) ? true : undefined;
  });
  await stand.call(token, "POST", `${path}/apply`, { id: plan.id, revision: plan.revision, force_apply: true });
  await eventually("an applied flow", 90, async () => {
    const found = await stand.call<{ installed_revision: number }>(token, "GET", path);
    return found.installed_revision >= plan.revision ? true : undefined;
  });
}

/** How many connections an application finds behind a subscription URL; it has to be there. */
async function links(url: string): Promise<number> {
  const answer = await fetch(url);
  expect(answer.status).toBe(200);
  const text = Buffer.from(await answer.text(), "base64").toString();
  return text.split("\n").filter((line) => line.startsWith("ss://")).length;
}

async function choose(page: Page, name: string, act: string): Promise<void> {
  await page.getByRole("button", { name: `Actions for ${name}` }).click();
  await page.getByRole("menuitem", { name: `${act}…` }).click();
}

/** Does the act that the open dialog asks about, and closes it with its results. */
async function confirm(page: Page, title: string | RegExp, verb: string): Promise<void> {
  const dialog = page.getByRole("dialog", { name: title });
  await dialog.getByRole("button", { name: verb, exact: true }).click();
  await expect(dialog.getByRole("status")).toHaveText(/^Done for/);
  await dialog.getByRole("button", { name: "Close", exact: true }).last().click();
  await expect(dialog).toBeHidden();
}

test("a client with a quota and an end is added, found, switched off and on, and revoked", async ({
  page,
  stand,
  populated,
}) => {
  const name = `Вера, ноутбук ${Date.now()}`;
  await signIn(page, stand.url);
  await page.goto(`${stand.url}/clients`);

  await page.getByRole("button", { name: "Add client" }).click();
  const dialog = page.getByRole("dialog", { name: "New client" });
  await dialog.getByLabel("Name").fill(name);
  const flows = dialog.getByRole("combobox", { name: "Flows" });
  for (const flow of ["Office", "Second office"]) {
    await flows.click();
    await page.getByRole("option", { name: flow, exact: true }).click();
  }
  await dialog.getByLabel("Expires").fill("2099-01-31T12:00");
  await dialog.getByLabel("Quota, GB").fill("50");
  await dialog.getByRole("combobox", { name: "Resets" }).click();
  await page.getByRole("option", { name: "on the 1st of the month" }).click();
  await passesGates(page);
  await picture(page, "clients-add");
  await dialog.getByRole("button", { name: "Add client" }).click();
  await expect(dialog).toBeHidden();

  await page.getByRole("textbox", { name: "Find a client" }).fill(name.toUpperCase());
  const row = page.getByRole("row").filter({ hasText: name });
  await expect(row).toContainText("Active");
  await expect(row).toContainText("0 B of 50.0 GB");
  await expect(row).toContainText("Office");
  await expect(row).toContainText("Second office");
  await expect(page.getByRole("row")).toHaveCount(2);
  await passesGates(page);
  await picture(page, "clients-found");

  const q = encodeURIComponent(name);
  const { items } = await stand.call<Listed>(populated.token, "GET", `/api/v1/clients?q=${q}`);
  expect(items).toMatchObject([{ label: name, state: "active", quota: { bytes: 50 * 2 ** 30, reset: "monthly" } }]);
  const { url } = await stand.call<{ url: string }>(
    populated.token,
    "POST",
    `/api/v1/clients/${items[0]!.id}/public-link`,
  );
  await apply(stand, populated);
  await expect.poll(() => links(url), "as soon as the entry lets it in").toBe(1);

  await choose(page, name, "Disable");
  await confirm(page, `Disable ${name}?`, "Disable");
  await expect(row).toContainText("Disabled");
  expect(await links(url), "one that is disabled finds no connection").toBe(0);
  await choose(page, name, "Enable");
  await confirm(page, `Enable ${name}?`, "Enable");
  await expect(row).toContainText("Active");
  await expect.poll(() => links(url)).toBe(1);

  await choose(page, name, "Revoke");
  await confirm(page, `Revoke ${name}?`, "Revoke");
  await expect(row).toContainText("Revoked");
  await expect(page.getByRole("button", { name: `Actions for ${name}` })).toHaveCount(0);
  expect((await fetch(url)).status).toBe(404);
});

test("the views of the list count whose time ends soon, and show them", async ({ page, stand, populated }) => {
  const mark = `ends-${Date.now()}`;
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  const clients = [3, 20].map((days) => ({ label: `${mark} ${days}`, expires_at: inDays(days) }));
  await stand.call(populated.token, "POST", "/api/v1/clients/import", { clients });
  const { ending } = await stand.call<{ ending: number }>(populated.token, "GET", "/api/v1/clients/summary");
  await signIn(page, stand.url);
  await page.goto(`${stand.url}/clients`);
  const view = page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: /^Ending soon/ });
  await expect(view).toHaveText(`Ending soon${ending}`);
  await view.click();
  await expect(page.getByRole("link", { name: `${mark} 3`, exact: true })).toBeVisible();
  await expect(page.getByRole("link", { name: `${mark} 20` })).toHaveCount(0);
  await expect(page.getByText("ends within 7 days")).toBeVisible();
  await inEveryLook(page, "clients-ending", new RegExp(`${mark} 3`));
});

test("a time that is to begin with the first use says so until it has begun", async ({ page, stand, populated }) => {
  const name = `unused-${Date.now()}`;
  await signIn(page, stand.url);
  await page.goto(`${stand.url}/clients?q=${name}`);
  await page.getByRole("button", { name: "Add client" }).click();
  const dialog = page.getByRole("dialog", { name: "New client" });
  await dialog.getByLabel("Name").fill(name);
  await dialog.getByLabel("Expires").fill("2099-01-31T12:00");
  await dialog.getByLabel("Or days from its first use").fill("30");
  await expect(dialog.getByLabel("Expires")).toHaveValue("");
  await inBothThemes(page, "clients-add-days");
  await dialog.getByRole("button", { name: "Add client" }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText("30 d, not begun")).toBeVisible();
  await inEveryLook(page, "clients-unbegun", new RegExp(name));

  await page.getByRole("row").filter({ hasText: name }).getByRole("checkbox").check();
  await page.getByRole("button", { name: "Extend…" }).click();
  await confirm(page, /Extend/, "Extend");
  await page.getByRole("link", { name, exact: true }).click();
  await expect(page.getByText("60 days from its first use")).toBeVisible();
  await picture(page, "clients-unbegun-page");
  const { items } = await stand.call<Listed>(populated.token, "GET", `/api/v1/clients?q=${name}`);
  expect(items).toMatchObject([{ label: name, lasts_days: 60, expires_at: null }]);
});

test("many clients are chosen beyond the page and extended at once; a kept view finds them", async ({
  page,
  stand,
  populated,
}) => {
  const mark = `crowd-${Date.now()}`;
  const clients = Array.from({ length: 120 }, (_, at) => ({
    label: `${mark} ${String(at).padStart(3, "0")}`,
    expires_at: "2099-01-01T00:00:00Z",
  }));
  await stand.call(populated.token, "POST", "/api/v1/clients/import", { clients });
  await signIn(page, stand.url);
  await page.goto(`${stand.url}/clients?q=${mark}`);
  const box = (at: number) => page.getByRole("checkbox", { name: `Select ${clients[at]!.label}` });
  await box(2).click();
  await box(6).click({ modifiers: ["Shift"] });
  const bar = page.getByRole("region", { name: "Selection" });
  await expect(bar.getByRole("status")).toContainText("5 selected");
  await bar.getByRole("button", { name: /120/ }).click();
  await expect(bar.getByRole("status")).toContainText("120");
  await passesGates(page);
  await picture(page, "clients-all-selected");

  await bar.getByRole("button", { name: "Extend…" }).click();
  const dialog = page.getByRole("dialog", { name: "Extend 120 clients" });
  await dialog.getByLabel("Days").fill("365");
  await passesGates(page);
  await picture(page, "clients-extend");
  await confirm(page, "Extend 120 clients", "Extend");
  const { items } = await stand.call<{ items: { expires_at: string }[] }>(
    populated.token,
    "GET",
    `/api/v1/clients?limit=200&q=${mark}`,
  );
  expect(items.filter(({ expires_at }) => expires_at.startsWith("2100-01-01"))).toHaveLength(120);

  await page.getByRole("button", { name: "Save view" }).click();
  await page.getByLabel("Name of the view").fill("Crowd");
  await page.getByRole("button", { name: "Save view" }).last().click();
  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "All" }).click();
  await expect(page).toHaveURL(`${stand.url}/clients`);
  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Crowd" }).click();
  await expect(page.getByText("50 of 120")).toBeVisible();
});

test("the page of a client has its link and its subscription, which a phone opens in its own language", async ({
  page,
  stand,
  populated,
  browser,
}) => {
  await signIn(page, stand.url);
  await page.goto(`${stand.url}/clients/${populated.client}`);
  await expect(page.getByRole("heading", { name: "anna's phone" })).toBeVisible();
  await expect(page.getByText("Let in", { exact: true })).toBeVisible();
  await expect(page.getByText(/Client added|was added/).first()).toBeVisible();
  await passesGates(page);
  await picture(page, "client");

  await page.getByRole("button", { name: "Connection link on Office" }).click();
  await page.getByRole("button", { name: "Reveal the link" }).click();
  await expect(page.getByTestId("link")).toHaveText(/^ss:\/\//);
  await page.keyboard.press("Escape");

  await page.getByRole("button", { name: "Create a URL" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Create a URL" }).click();
  const first = await page.getByTestId("link").innerText();
  expect(await links(first)).toBe(1);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Create a new URL" }).click();
  await dialog.getByRole("button", { name: "Create a new URL" }).click();
  const second = await page.getByTestId("link").innerText();
  expect((await fetch(first)).status, "a new one replaces it").toBe(404);
  await page.keyboard.press("Escape");

  for (const [locale, scheme] of [
    ["en-US", "light"],
    ["ru-RU", "dark"],
  ] as const) {
    const phone = await browser.newContext({
      locale,
      colorScheme: scheme,
      viewport: { width: 390, height: 844 },
      reducedMotion: "reduce",
    });
    const opened = await phone.newPage();
    await opened.goto(second);
    await expect(opened.locator("html")).toHaveAttribute("lang", locale.slice(0, 2));
    await passesGates(opened);
    await picture(opened, `subscription-${locale}-${scheme}`);
    await phone.close();
  }

  await page.getByRole("button", { name: "Take it away" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Take it away" }).click();
  await expect(page.getByRole("dialog").getByRole("status")).toHaveText("The URL was taken away");
  expect((await fetch(second)).status).toBe(404);
});
