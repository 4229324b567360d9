import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { expect, passesGates, picture } from "./test";

/** The panel beside the list that shows one entry. */
export const entryOf = (page: Page) => page.getByRole("complementary", { name: "Journal entry" });

/** Narrows the journal down to the changes of permissions, which are two. */
export async function filtersByAction(page: Page) {
  await page.getByRole("button", { name: "Filter", exact: true }).click();
  await page.getByRole("combobox", { name: "Action" }).fill("permissions");
  await page.getByRole("option", { name: "Permissions changed (account.permissions_changed)" }).click();
  await passesGates(page);
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await expect(page).toHaveURL(/action=account\.permissions_changed/);
  await expect(page.getByRole("row")).toHaveCount(3);
}

/** Opens the entry about oleg, reads it, and finds it again after a reload. */
export async function readsAnEntry(page: Page) {
  const entry = entryOf(page);
  await page.getByRole("row").filter({ hasText: "oleg" }).last().click();
  await expect(entry.getByRole("heading", { name: "Permissions changed: oleg" })).toBeVisible();
  await expect(entry.getByRole("group", { name: "permissions" })).toContainText("nodes.edit");
  await passesGates(page);
  await picture(page, "audit-entry");
  await entry.getByText("Split").click();
  await passesGates(page);
  await page.reload();
  await expect(entry.getByRole("heading", { name: "Permissions changed: oleg" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(entry).toBeHidden();
}

/** Takes the filtered entries as CSV and all of them as NDJSON. */
export async function exportsTheJournal(page: Page) {
  await page.getByRole("button", { name: "Export" }).click();
  const [csv] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("menuitem", { name: /^CSV/ }).click(),
  ]);
  expect(
    readFileSync(await csv.path(), "utf8")
      .trim()
      .split("\n"),
  ).toHaveLength(3);
  await page.getByRole("button", { name: "Remove Action Permissions changed" }).click();
  await page.getByRole("button", { name: "Export" }).click();
  const [lines] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("menuitem", { name: /^NDJSON/ }).click(),
  ]);
  const first = JSON.parse(readFileSync(await lines.path(), "utf8").split("\n")[0] ?? "") as { action: string };
  expect(first.action).toBeTruthy();
}
