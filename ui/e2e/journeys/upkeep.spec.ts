import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Page } from "@playwright/test";
import { eventually } from "../rig/processes";
import { administrator, expect, isTold, passesGates, picture, signIn, test as base } from "../rig/test";

const nodes = ["ams-01", "fra-01", "waw-01"];

/** A panel of its own with an administrator, a license and three agents that can update themselves. */
const test = base.extend<object, { ready: { token: string } }>({
  ready: [
    async ({ stand }, use) => {
      const { token } = await stand.call<{ token: string }>("", "POST", "/api/v1/setup/admin", administrator);
      await stand.call(token, "POST", "/api/v1/license/activate", { license_key: stand.licenseKey });
      await stand.call(token, "POST", "/api/v1/setup/finish");
      for (const name of nodes) {
        const issued = await stand.call<{ token: string }>(token, "POST", "/api/v1/nodes/enrollment-tokens", {
          kind: "one_off",
        });
        await stand.runAgent(name, issued.token);
      }
      await eventually("three nodes online", 90, async () => {
        const { items } = await stand.call<{ items: { state: string }[] }>(token, "GET", "/api/v1/nodes");
        return items.filter((item) => item.state === "online").length === nodes.length ? true : undefined;
      });
      await use({ token });
    },
    { scope: "worker", auto: true, timeout: 240_000 },
  ],
});

test.describe.configure({ mode: "serial" });

/** Shows the page as somebody on a phone reads it in Russian. */
async function inRussianOnAPhone(page: Page, address: string): Promise<void> {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.evaluate(
    () => (localStorage.setItem("panel-theme", "light"), localStorage.setItem("panel-language", "ru")),
  );
  await page.goto(address);
}

test("diagnostics: what to type, what was found, by groups, and what has changed", async ({ page, stand }) => {
  await signIn(page, stand.url);
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Diagnostics" }).click();
  await expect(page.getByText("Doctor has not run here yet")).toBeVisible();
  await expect(page.getByText("sudo panelctl doctor")).toBeVisible();
  await passesGates(page);

  await stand.diagnose();
  await page.reload();
  const found = page.getByRole("list", { name: "Last diagnosis" });
  await expect(found.getByText("configuration.secret_key")).toBeVisible();
  await expect(found.getByText(/^move it to PANEL_SECRET_KEY/)).toBeVisible();
  await page.getByRole("button", { name: /more checks? (is|are) in order or skipped/ }).click();
  for (const group of ["Services", "Configuration", "Database", "Disk", "Network", "DNS", "TLS", "Components"])
    await expect(page.getByRole("heading", { name: group, level: 3 })).toBeVisible();
  await passesGates(page);
  await picture(page, "diagnosis-groups");

  await stand.diagnose({ PANEL_LICENSE_URLS: "http://127.0.0.1:1" });
  await page.reload();
  await expect(page.getByText(/\d+ checks? ha(s|ve) changed since/)).toBeVisible();
  await expect(found.getByText("was OK").first()).toBeVisible();
  await passesGates(page);
  await picture(page, "diagnosis-changed");
});

test("diagnostics in Russian on a phone: no English sentence", async ({ page, stand }) => {
  await signIn(page, stand.url);
  await inRussianOnAPhone(page, `${stand.url}/diagnostics`);
  const found = page.getByRole("list", { name: "Последняя диагностика" });
  await expect(found.getByText(/перенесите его в PANEL_SECRET_KEY/)).toBeVisible();
  await page.getByRole("button", { name: /в порядке или пропущен/ }).click();
  await expect(page.getByRole("heading", { name: "Службы", level: 3 })).toBeVisible();
  const words = await page.locator("section[aria-label] li").allInnerTexts();
  expect(words.length).toBeGreaterThan(20);
  // Three plain words without a Russian one are a sentence of somebody else; commands begin with their program.
  const english = words
    .flatMap((text) => text.split("\n"))
    .filter(
      (line) =>
        /(?:\b[a-z]{2,} ){2}[a-z]{2,}/.test(line) &&
        !/[а-яё]/i.test(line) &&
        !/^(sudo|systemctl|panelctl|timedatectl|journalctl|chmod|cat) /.test(line),
    );
  expect(english).toEqual([]);
  await expect(page.getByText(/файлы, .*panel\.log/)).toBeVisible();
  await passesGates(page);
  await picture(page, "diagnosis-ru-390");
});

test("a support bundle: what is in it, then the file", async ({ page, stand }) => {
  await signIn(page, stand.url);
  await page.goto(`${stand.url}/diagnostics`);
  await page.getByText("7 d", { exact: true }).click();
  await page.getByRole("button", { name: "Preview" }).click();
  await expect(page.getByRole("list", { name: "Files of the bundle" }).getByText("doctor.json")).toBeVisible();
  await expect(page.getByRole("list", { name: "Not in it" }).getByText("update-journal.jsonl")).toBeVisible();
  await passesGates(page);
  await picture(page, "bundle");
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download" }).click(),
  ]);
  expect(file.suggestedFilename()).toMatch(/^panel-\d{8}-\d{4}\.tar\.gz$/);
  expect(gunzipSync(readFileSync(await file.path())).toString("latin1")).toContain("MANIFEST.json");
  await isTold(page, "The bundle was downloaded");
});

test("updates of the panel: a look, a newer release, and why it is not installed here", async ({ page, stand }) => {
  await signIn(page, stand.url);
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Updates" }).click();
  await expect(page.getByText("There is no build to roll out")).toBeVisible();
  await passesGates(page);
  await page.getByRole("button", { name: /^Check now$/ }).click();
  await expect(page.getByText("Releases not reached")).toBeVisible();
  stand.releases.publishPanel("9.1.0", stand.panelProgram, "Diagnoses in both languages.");
  await page.getByRole("button", { name: /^Check now$/ }).click();
  await expect(page.getByText("Diagnoses in both languages.")).toBeVisible();
  await expect(page.getByText(/^This installation cannot replace itself/)).toBeVisible();
  await expect(page.getByRole("button", { name: "Install 9.1.0" })).toHaveAccessibleDescription(
    "Something must be fixed before the update",
  );
  await passesGates(page);
  await picture(page, "panel-release");
});

/** How many seconds each ring is watched: long enough to be seen on a busy machine. */
const restsFor = 15;

const openRings = (page: Page) => page.getByRole("button", { name: "Change the rings…" }).click();

test("rings: who goes first, sizes that rise, a pause; somebody else was faster", async ({ page, stand, ready }) => {
  stand.releases.publishAgent("1.1.0", await stand.buildAgent("1.1.0"), "Agents need less memory.");
  await signIn(page, stand.url);
  await page.goto(`${stand.url}/updates`);
  const rings = page.getByRole("list", { name: "Rings of a rollout" });
  await expect(page.getByText("3 agents behind")).toBeVisible();
  await expect(rings.getByRole("listitem").first()).toContainText("ams-01");

  await openRings(page);
  const dialog = page.getByRole("dialog", { name: "Rings of a rollout" });
  await dialog.getByRole("button", { name: "Add a ring" }).click();
  await dialog.getByLabel("Share of the fleet up to ring 3, percent").fill("5");
  await dialog.getByLabel("Watch each ring").fill("");
  await dialog.getByRole("button", { name: "Save the rings" }).click();
  await expect(dialog.getByText("More than the ring before")).toBeVisible();
  await expect(dialog.getByText("From 0 to 604,800 seconds (7 days)")).toBeVisible();
  await passesGates(page);
  await picture(page, "rings-wrong");
  await dialog.getByRole("button", { name: "Remove ring 3" }).click();
  await dialog.getByLabel("Watch each ring").fill("5");
  await dialog.getByLabel("Go first").fill("waw");
  await page.getByRole("option", { name: "waw-01" }).click();
  await page.keyboard.press("Escape");

  const others = { sizes: [1, 50, 100], pause_seconds: restsFor, parallel: 1, revision: 1 };
  await stand.call(ready.token, "PUT", "/api/v1/nodes/agent-rings", others);
  await dialog.getByRole("button", { name: "Save the rings" }).click();
  await expect(dialog.getByText(/^revision_conflict/)).toBeVisible();
  await passesGates(page);
  await dialog.getByRole("button", { name: "Take the newer settings" }).click();
  await expect(dialog.getByLabel("Share of the fleet up to ring 2, percent")).toHaveValue(/50/);
  await dialog.getByLabel("Go first").fill("waw");
  await page.getByRole("option", { name: "waw-01" }).click();
  await page.keyboard.press("Escape");
  await passesGates(page);
  await picture(page, "rings");
  await dialog.getByRole("button", { name: "Save the rings" }).click();
  await isTold(page, "Rings saved");
  await expect(rings.getByRole("listitem").first()).toContainText("waw-01");
});

test("a rollout goes ring by ring, rests between them, and reaches all", async ({ page, stand }) => {
  await signIn(page, stand.url);
  await page.goto(`${stand.url}/updates`);
  await page.getByRole("button", { name: "Through ring 3" }).click();
  const ask = page.getByRole("dialog", { name: "Roll out agent 1.1.0" });
  await passesGates(page);
  await ask.getByRole("button", { name: "Update 3 agents" }).click();
  await expect(page.getByText("Rolling out 1.1.0")).toBeVisible();
  await expect(page.getByRole("button", { name: "Ring 1 only" })).toHaveAccessibleDescription("A rollout is running");
  await expect(page.getByText(/^Ring 1 is watched for another/)).toBeVisible({ timeout: 120_000 });
  await picture(page, "rollout-rests");
  await passesGates(page);
  await expect(page.getByText("All current")).toBeVisible({ timeout: 180_000 });
  await expect(page.getByRole("list", { name: "Nodes of the rollout" }).getByText("updated")).toHaveCount(3);
  await picture(page, "rollout-done");
});

test("a build that never reports is given up in the first ring; a person may try that node again", async ({
  page,
  stand,
}) => {
  const hangs = join(stand.folder, "hangs");
  writeFileSync(
    hangs,
    `#!/bin/sh\ncase "$*" in\n*--self-test*) echo '{"version":"1.2.0"}' ;;\n*) echo "this build hangs" >&2; exec sleep 600 ;;\nesac\n`,
    { mode: 0o755 },
  );
  stand.releases.publishAgent("1.2.0", hangs);
  await signIn(page, stand.url);
  await page.goto(`${stand.url}/updates`);
  await page.getByRole("button", { name: "Through ring 3" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Update 3 agents" }).click();
  await expect(page.getByText("A node did not take the new build; no further one begins.")).toBeVisible({
    timeout: 180_000,
  });
  const list = page.getByRole("list", { name: "Nodes of the rollout" });
  await expect(list.getByText("failed, rolled back")).toHaveCount(1);
  await expect(list.getByText("not begun")).toHaveCount(2);
  await expect(list.getByText(/this build hangs/)).toBeVisible();
  await expect(list.getByRole("button", { name: "Try again" })).toBeVisible();
  await passesGates(page);
  await picture(page, "rollout-failed");

  await page.goto(`${stand.url}/nodes`);
  await expect(
    page.getByRole("row", { name: /waw-01/ }).getByRole("img", { name: "the update did not succeed" }),
  ).toBeVisible();
  await expect(page.getByRole("row", { name: /ams-01/ }).getByLabel("a newer agent is there")).toBeVisible();

  await inRussianOnAPhone(page, `${stand.url}/updates`);
  await expect(page.getByText("this build hangs")).toBeVisible();
  await passesGates(page);
  await picture(page, "rollout-failed-ru-390");
  await page.getByRole("button", { name: "Изменить кольца…" }).click();
  await expect(page.getByRole("dialog", { name: "Кольца раскатки" })).toBeVisible();
  await passesGates(page);
  await picture(page, "rings-ru-390");
});

test("who may only look sees why each act is closed", async ({ page, stand, ready }) => {
  const vera = { username: "vera", password: "one more long sentence" };
  await stand.call(ready.token, "POST", "/api/v1/accounts", { ...vera, permissions: ["nodes.view"] });
  await signIn(page, stand.url, vera);
  await page.goto(`${stand.url}/updates`);
  await expect(page.getByRole("heading", { name: "Panel", exact: true })).toBeHidden();
  for (const name of ["Ring 1 only", "Through ring 3", "Change the rings…"])
    await expect(page.getByRole("button", { name })).toHaveAccessibleDescription("Needs the permission nodes.edit");
  await passesGates(page);
});
