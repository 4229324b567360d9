import { inEveryLook } from "../rig/looks";
import { MobileChecker } from "../rig/mobile-checker";
import { test } from "../rig/populated";
import { eventually } from "../rig/processes";
import { expect, isTold, passesGates, picture, signIn } from "../rig/test";

test("external checks are read for nothing and paid for once, by the button that names the price", async ({
  page,
  stand,
  populated,
}) => {
  test.setTimeout(240_000);
  const service = new MobileChecker();
  await service.serve();
  await signIn(page, stand.url);
  await page.goto(`${stand.url}/checks`);
  await expect(page.getByText("No external checks yet")).toBeVisible();
  await inEveryLook(page, "checks-first", /No external checks yet|Внешних проверок пока нет/);

  await page.getByRole("link", { name: "Set up external checks" }).click();
  await page.locator("#setting-api_key").fill(service.key);
  await page.getByRole("textbox", { name: "Address of the service" }).fill(service.address);
  await passesGates(page);
  await page.getByRole("button", { name: "Save" }).click();
  await isTold(page, "External checks");
  await expect(page.locator("#setting-api_key")).toHaveValue("");
  await picture(page, "checks-settings");

  await page.goto(`${stand.url}/checks/${populated.flow}`);
  await expect(page.getByText("No finished report yet")).toBeVisible();
  expect(service.charged.size).toBe(0);
  await page.getByRole("button", { name: "Run paid check…" }).click();
  const dialog = page.getByRole("dialog");
  const pay = dialog.getByRole("button", { name: "Run paid check — 2.40 ₽" });
  await expect(pay).toBeVisible();
  await passesGates(page);
  await picture(page, "checks-confirm");
  expect(service.charged.size).toBe(0);
  service.down = ["mts|цфо|on", "beeline|пфо|on"];
  await pay.click();
  await eventually("a report", 90, async () =>
    (await page.getByText("4 of 6 reach it").count()) > 0 ? true : undefined,
  );
  expect([...service.charged.values()]).toEqual([240]);
  await expect(page.getByText("100 newest stored reports")).toBeVisible();
  await inEveryLook(page, "checks-flow", /2[.,]40 ₽/);

  await page.goto(`${stand.url}/checks`);
  await expect(page.getByRole("link", { name: "Office" })).toBeVisible();
  await page.getByRole("button", { name: "Add a schedule" }).click();
  const schedule = page.getByRole("dialog", { name: "Add a schedule" });
  await schedule.getByRole("combobox", { name: "Flow" }).fill("Off");
  await page.getByRole("option", { name: "Office" }).click();
  await passesGates(page);
  await picture(page, "checks-schedule");
  await schedule.getByRole("button", { name: "Save" }).click();
  await isTold(page, "Schedule saved");
  await expect(page.getByText("every 24 hours, at most 10.00 ₽ each")).toBeVisible();
  await inEveryLook(page, "checks-list", "Office");
  expect(service.charged.size, "reading pays nothing").toBe(1);
  service.close();
});
