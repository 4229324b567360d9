import AxeBuilder from "@axe-core/playwright";
import { test as base, expect, type Page } from "@playwright/test";
import { Stand } from "./stand";

/** What every journey watches: no console error, no refused policy, no call to another origin. */
export interface Watch {
  check: () => void;
}

export const test = base.extend<{ watch: Watch }, { stand: Stand }>({
  stand: [
    async ({}, use) => {
      const stand = await Stand.start();
      await use(stand);
      await stand.close();
    },
    { scope: "worker", timeout: 180_000 },
  ],
  watch: [
    async ({ page, stand }, use) => {
      const complaints: string[] = [];
      // A refusal that a journey provokes is written to the console by the browser itself.
      page.on(
        "console",
        (message) =>
          message.type() === "error" &&
          !message.text().startsWith("Failed to load resource") &&
          complaints.push(message.text()),
      );
      page.on("pageerror", (error) => complaints.push(String(error)));
      page.on(
        "request",
        (request) =>
          !request.url().startsWith(stand.url) &&
          !request.url().startsWith("blob:") &&
          complaints.push(`left the origin: ${request.url()}`),
      );
      const check = () => expect(complaints).toEqual([]);
      await use({ check });
      check();
    },
    { auto: true },
  ],
});

export { expect };

export const accessRules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/** The gates of every page: accessible, no sideways scroll, no bare key of a message, no token where it must not be. */
export async function passesGates(page: Page): Promise<void> {
  await page.evaluate(() => document.fonts.ready);
  const { violations } = await new AxeBuilder({ page }).withTags(accessRules).analyze();
  expect(
    violations.map(
      (violation) => `${violation.id}: ${violation.nodes.map((node) => node.target.join(" ")).join(", ")}`,
    ),
  ).toEqual([]);
  const sideways = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(sideways, "sideways scroll").toBeLessThanOrEqual(0);
  const token = await page.evaluate(() => sessionStorage.getItem("panel-session"));
  if (token) {
    expect(page.url()).not.toContain(token);
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain(token);
  }
}

export async function sessionToken(page: Page): Promise<string> {
  return (await page.evaluate(() => sessionStorage.getItem("panel-session"))) ?? "";
}

export const administrator = { username: "anna", password: "correct horse battery" };

export async function signIn(page: Page, url: string, who = administrator): Promise<void> {
  await showPassword(page, url, who);
  await expect(page.getByRole("heading", { name: "Overview" })).toBeVisible();
}

/** The first step of a sign-in alone. */
export async function showPassword(
  page: Page,
  url: string,
  who: { username: string; password: string },
): Promise<void> {
  await page.goto(`${url}/login`);
  await page.getByLabel("Username").fill(who.username);
  await page.getByLabel("Password", { exact: true }).fill(who.password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

export async function signOut(page: Page): Promise<void> {
  await page.getByRole("button", { name: /^Account / }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
}

const shots = process.env.PANEL_SHOTS;

/** Keeps a picture for looking at, when a folder for pictures is given. */
export async function picture(page: Page, name: string): Promise<void> {
  if (shots) await page.screenshot({ path: `${shots}/${name}.png` });
}
