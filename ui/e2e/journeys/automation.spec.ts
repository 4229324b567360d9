import { inBothThemes, inEveryLook } from "../rig/looks";
import { test } from "../rig/populated";
import { expect, signIn } from "../rig/test";

test("who stops everything automatic says why, everybody sees it at once, and it goes on when allowed again", async ({
  page,
  browser,
  stand,
  populated: { token },
}) => {
  await signIn(page, stand.url);
  const elsewhere = await browser.newContext();
  const other = await elsewhere.newPage();
  await signIn(other, stand.url);
  await page.goto(`${stand.url}/settings/automation`);
  const acts = page.getByRole("list", { name: "What the panel does by itself" });
  await expect(acts.getByRole("listitem").first()).toBeVisible();
  await inEveryLook(page, "automation-running", /What the panel does by itself|Что панель делает сама/);

  await page.getByRole("button", { name: "Stop everything automatic" }).click();
  const dialog = page.getByRole("dialog", { name: "Stop everything automatic?" });
  await expect(dialog.getByLabel("Why")).toBeFocused();
  await inBothThemes(page, "automation-dialog");
  await dialog.getByRole("button", { name: "Stop everything automatic" }).click();
  await expect(dialog.getByText("Say why")).toBeVisible();
  await dialog.getByLabel("Why").fill("records of ams-01 change by themselves");
  await dialog.getByRole("button", { name: "Stop everything automatic" }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByText(/by anna: records of ams-01/).first()).toBeVisible();

  const banner = other.getByRole("status").filter({ hasText: "records of ams-01 change by themselves" });
  await expect(banner, "without a reload").toBeVisible();
  await inEveryLook(other, "automation-banner", /records of ams-01/);
  await banner.getByRole("link").click();
  await expect(other).toHaveURL(/\/settings\/automation$/);
  await inEveryLook(other, "automation-stopped", /records of ams-01/);
  const { stopped } = await stand.call<{ stopped: boolean }>(token, "GET", "/api/v1/system/automation");
  expect(stopped).toBe(true);

  await other.getByRole("button", { name: "Let the panel act again" }).click();
  await expect(other.getByText(/^Allowed again .* by anna/)).toBeVisible();
  await expect(banner).toHaveCount(0);
  await expect(page.getByText(/records of ams-01/), "the first page follows").toHaveCount(0);
  await elsewhere.close();
});
