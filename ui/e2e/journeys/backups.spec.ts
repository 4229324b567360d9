import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "@playwright/test";
import { Bucket } from "../rig/bucket";
import { test as ready } from "../rig/ready";
import { expect, passesGates, picture, signIn } from "../rig/test";

/** The panel of the journeys with an S3 server beside it, and a messenger that is told of everything. */
const test = ready.extend<object, { bucket: Bucket }>({
  bucket: [
    async ({ stand, ready: { token } }, use) => {
      const bucket = new Bucket(join(stand.folder, "s3"));
      await bucket.serve();
      const settings = await stand.call<{ revision: number; settings: object }>(
        token,
        "GET",
        "/api/v1/notifications/settings",
      );
      await stand.call(token, "PUT", "/api/v1/notifications/settings", {
        revision: settings.revision,
        settings: {
          messenger: { bot_token: "7007:token-of-the-journey", chat_id: "-100200300", thread_id: 0 },
          quiet_hours: { enabled: false, from: "22:00", to: "07:00", zone: "UTC" },
          language: "en",
        },
      });
      await stand.call(token, "POST", "/api/v1/notifications/rules", {
        name: "Backups",
        event: "backup.*",
        channels: ["messenger"],
        min_severity: "info",
        cooldown_s: 0,
      });
      await use(bucket);
      await bucket.close();
    },
    { scope: "worker", timeout: 400_000 },
  ],
});

test.describe.configure({ mode: "serial" });

const endsWithin = { timeout: 120_000 };

const openBackups = async (page: Page, url: string) => {
  await signIn(page, url);
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Backups" }).click();
  await expect(page.getByRole("heading", { name: "Backups", level: 1 })).toBeVisible();
};

/** Starts a backup from the list and stands on the page of its run. */
async function runNow(page: Page, profile: string): Promise<void> {
  await page.getByRole("row", { name: profile }).getByRole("button", { name: "Run now" }).click();
  await expect(page.getByRole("heading", { name: `Backup of ${profile}` })).toBeVisible();
}

const places = (page: Page): Locator => page.getByRole("list", { name: "Destinations" });

test("a profile needs only its name; then a second destination and a passphrase", async ({ page, stand, bucket }) => {
  await openBackups(page, stand.url);
  await expect(page.getByText("Nothing is backed up yet")).toBeVisible();
  await passesGates(page);
  await picture(page, "backups-empty");
  await page.getByRole("link", { name: "Add profile" }).first().click();
  await page.getByRole("button", { name: "Add profile" }).click();
  await expect(page.getByText("Enter a name")).toBeVisible();
  await expect(page.getByLabel("Name", { exact: true })).toBeFocused();
  await passesGates(page);
  await page.getByLabel("Name", { exact: true }).fill("Nightly");

  await page.getByRole("button", { name: "Add destination" }).click();
  const second = page.getByRole("group", { name: "Destination 2" });
  await second.getByText("SFTP", { exact: true }).click();
  await passesGates(page);
  await second.getByText("S3", { exact: true }).click();
  await second.getByLabel("Address").fill(bucket.address);
  await second.getByLabel("Bucket", { exact: true }).fill(bucket.name);
  await second.getByLabel("Access key").fill(bucket.accessKey);
  await second.getByLabel("Secret key", { exact: true }).fill(bucket.secretKey);
  await second.getByLabel("Bucket in the path").check();
  await page.getByRole("radio", { name: "Passphrase" }).check();
  await page.getByLabel("Passphrase", { exact: true }).last().fill("words that only this journey knows");
  await page.getByRole("checkbox", { name: "Master key" }).check();

  const first = page.getByRole("group", { name: "Destination 1" });
  await first.getByRole("textbox", { name: "Folder" }).fill("/mnt/elsewhere");
  await page.getByRole("button", { name: "Add profile" }).click();
  await expect(first.getByText(/PANEL_BACKUP_DIR\)/)).toBeVisible();
  await expect(first.getByText("ReadWritePaths=/mnt/elsewhere")).toBeVisible();
  await passesGates(page);
  await picture(page, "backup-profile-refused");
  await first.getByRole("textbox", { name: "Folder" }).fill("");
  await page.getByRole("button", { name: "Add profile" }).click();
  const row = page.getByRole("row", { name: "Nightly" });
  await expect(row).toContainText("Every day at 03:30");
  await expect(row).toContainText("Europe/Moscow");
  await expect(row).toContainText("Local folder, S3");
  await expect(row).toContainText("None yet");
  await passesGates(page);
});

test("a backup runs to all destinations, and the messenger is told", async ({ page, stand }) => {
  await openBackups(page, stand.url);
  await runNow(page, "Nightly");
  await expect(page.getByText("Succeeded", { exact: true })).toBeVisible(endsWithin);
  await expect(places(page).getByText("Has the backup")).toHaveCount(2);
  await expect(page.getByText("2 of 2 have it")).toBeVisible();
  await passesGates(page);
  await picture(page, "backup-run");
  const told = await stand.messenger.message(/A backup was made/);
  expect(told.chat).toBe("-100200300");
  expect(told.text, "the message leads to its run").toContain(new URL(page.url()).pathname);
});

test("while one goes on, the button opens it", async ({ page, stand, ready: { token } }) => {
  await openBackups(page, stand.url);
  const [profile] = (await stand.call<{ items: { id: string }[] }>(token, "GET", "/api/v1/backups/profiles")).items;
  const run = await stand.call<{ id: string }>(token, "POST", "/api/v1/backups/runs", { profile_id: profile!.id });
  const open = page
    .getByRole("row", { name: "Nightly" })
    .getByRole("link", { name: /(Running|Queued) since .* · open/ });
  // It may have ended before the page shows it.
  await open.click({ timeout: 8_000 }).catch(() => page.goto(`${stand.url}/backups/runs/${run.id}`));
  await expect(page.getByText("Succeeded", { exact: true })).toBeVisible(endsWithin);
});

test("a restore test finds the backup equal; that stands first on the page", async ({ page, stand }) => {
  await openBackups(page, stand.url);
  await expect(page.getByText("No backup was restored in a test yet")).toBeVisible();
  await page.getByRole("region", { name: "Runs" }).getByRole("link").first().click();
  await page.getByRole("button", { name: "Test restore" }).first().click();
  const dialog = page.getByRole("dialog");
  await passesGates(page);
  await dialog.getByRole("button", { name: "Start the test" }).click();
  await expect(dialog.getByText("Equal", { exact: true })).toBeVisible(endsWithin);
  await expect(dialog.getByText(/tables equal/)).toBeVisible();
  await passesGates(page);
  await picture(page, "backup-tested");
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Backups" }).click();
  await expect(page.getByRole("region", { name: "State of backups" }).getByText(/^equal: \d+ tables/)).toBeVisible();
  await passesGates(page);
  await picture(page, "backups");
});

/** Stands on the page of the newest run, in a browser whose dialog for files is what the argument says. */
async function openNewest(page: Page, url: string, dialog: "chooses" | "is missing"): Promise<void> {
  await page.addInitScript((how) => {
    const pick = async ({ suggestedName }: { suggestedName: string }) =>
      (await navigator.storage.getDirectory()).getFileHandle(suggestedName, { create: true });
    Object.defineProperty(window, "showSaveFilePicker", { value: how === "chooses" ? pick : undefined });
  }, dialog);
  await openBackups(page, url);
  await page.getByRole("region", { name: "Runs" }).getByRole("link").first().click();
}

test("a backup is downloaded as one file, written to the disk as it comes", async ({ page, stand }) => {
  await openNewest(page, stand.url, "chooses");
  const name = (await page
    .getByText(/^panel-.*nightly/)
    .first()
    .textContent())!.trim();
  await page.getByRole("button", { name: "Download" }).click();
  const read = () =>
    page.evaluate(async (file) => {
      const kept = await (await navigator.storage.getDirectory()).getFileHandle(file, { create: true });
      return (await kept.getFile()).text();
    }, `${name}.tar`);
  await expect.poll(read).toContain(`${name}.manifest`);
});

test("where pages cannot write files, the browser downloads it", async ({ page, stand }) => {
  await openNewest(page, stand.url, "is missing");
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download" }).click(),
  ]);
  expect(file.suggestedFilename()).toMatch(/^panel-.*nightly.*\.tar$/);
  expect(readFileSync(await file.path()).toString("latin1")).toContain(".manifest");
});

test("one destination of two fails: the backup is partial, with the reason, and people are told", async ({
  page,
  stand,
  bucket,
}) => {
  await bucket.close();
  await openBackups(page, stand.url);
  await runNow(page, "Nightly");
  await expect(page.getByText("Partial", { exact: true })).toBeVisible(endsWithin);
  await expect(places(page).getByText("Has the backup")).toHaveCount(1);
  await expect(places(page).getByText("Failed", { exact: true })).toBeVisible();
  await passesGates(page);
  await picture(page, "backup-partial");
  await stand.messenger.message(/some of its destinations/i);
  await page.goto(stand.url);
  await expect(page.getByText("Not all destinations have the backup")).toBeVisible();
  await passesGates(page);
});

test("in Russian on a phone, and in light", async ({ page, stand }) => {
  await openBackups(page, stand.url);
  await page.evaluate(
    () => (localStorage.setItem("panel-theme", "light"), localStorage.setItem("panel-language", "ru")),
  );
  await page.goto(`${stand.url}/backups`);
  await expect(page.getByText("Последний удачный бэкап")).toBeVisible();
  await passesGates(page);
  await picture(page, "backups-light-ru");
  await page.setViewportSize({ width: 390, height: 844 });
  await passesGates(page);
  await picture(page, "backups-light-ru-390");
  await page.getByRole("link", { name: "Частично" }).first().click();
  await expect(page.getByText("есть в 1 из 2")).toBeVisible();
  await passesGates(page);
  await picture(page, "backup-run-light-ru-390");
  await page.getByRole("link", { name: "Профиль", exact: true }).click();
  await expect(page.getByLabel("Название")).toHaveValue("Nightly");
  await passesGates(page);
  await picture(page, "backup-profile-light-ru-390");
});

test("who may only look sees everything and changes nothing", async ({ page, stand, ready: { token } }) => {
  const vera = { username: "vera", password: "one more long sentence" };
  await stand.call(token, "POST", "/api/v1/accounts", { ...vera, permissions: ["backups.view"] });
  await openBackupsAs(page, stand.url, vera);
  await expect(
    page.getByRole("row", { name: "Nightly" }).getByRole("button", { name: "Run now" }),
  ).toHaveAccessibleDescription("Needs the permission backups.manage");
  await passesGates(page);
  await page.getByRole("link", { name: "Nightly" }).click();
  await expect(page.getByLabel("Name", { exact: true })).toBeDisabled();
  await passesGates(page);
});

async function openBackupsAs(page: Page, url: string, who: { username: string; password: string }): Promise<void> {
  await signIn(page, url, who);
  await page.goto(`${url}/backups`);
}

test("the panel is restored from a backup, and everybody signs in again", async ({ page, stand }) => {
  test.setTimeout(240_000);
  await openBackups(page, stand.url);
  await page.getByRole("row", { name: "Nightly" }).getByRole("link", { name: "Partial" }).click();
  await page.getByRole("button", { name: "Restore…" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByText("What was written since the backup is gone.")).toBeVisible();
  await expect(dialog.getByRole("button", { name: "Restore the panel" })).toHaveAttribute("aria-disabled", "true");
  await passesGates(page);
  await picture(page, "backup-restore-dialog");
  await dialog.getByRole("textbox", { name: /^Type Nightly/ }).fill("Nightly");
  await dialog.getByRole("button", { name: "Restore the panel" }).click();
  await expect(page.getByRole("heading", { name: "The panel is being restored" })).toBeVisible();
  await picture(page, "backup-restoring");
  await expect(page.getByRole("heading", { name: "The panel is restored" })).toBeVisible({ timeout: 120_000 });
  await passesGates(page);
  await picture(page, "backup-restored");
  await openBackups(page, stand.url);
  await expect(page.getByRole("heading", { name: "The panel was restored" })).toBeVisible();
  await passesGates(page);
  await picture(page, "backups-restored");
});
