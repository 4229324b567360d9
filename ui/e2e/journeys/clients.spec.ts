import type { Page } from "@playwright/test";
import { test, type Populated } from "../rig/populated";
import { expect, passesGates, picture, signIn } from "../rig/test";
import { eventually } from "../rig/processes";
import type { Stand } from "../rig/stand";

test.use({ actionTimeout: 20_000 });

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

/** How many connections an application finds behind the address of a subscription; it has to be there. */
async function links(url: string): Promise<number> {
  const answer = await fetch(url);
  expect(answer.status).toBe(200);
  const text = Buffer.from(await answer.text(), "base64").toString();
  return text.split("\n").filter((line) => line.startsWith("ss://")).length;
}

async function choose(page: Page, name: string, act: string): Promise<void> {
  await page.getByRole("button", { name: `Actions for ${name}` }).click();
  await page.getByRole("menuitem", { name: act }).click();
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
  await expect(row).toContainText("Disabled");
  expect(await links(url), "one that is disabled finds no connection").toBe(0);
  await choose(page, name, "Enable");
  await expect(row).toContainText("Active");
  await expect.poll(() => links(url)).toBe(1);

  await choose(page, name, "Revoke…");
  await page
    .getByRole("dialog", { name: `Revoke ${name}?` })
    .getByRole("button", { name: "Revoke" })
    .click();
  await expect(row).toContainText("Revoked");
  await expect(page.getByRole("button", { name: `Actions for ${name}` })).toHaveCount(0);
  expect((await fetch(url)).status).toBe(404);
});
