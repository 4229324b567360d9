import type { Page } from "@playwright/test";
import { expect, passesGates, picture } from "./test";

const looks = [
  ["en", "dark", 1360],
  ["ru", "light", 1360],
  ["ru", "dark", 768],
  ["en", "light", 390],
  ["ru", "dark", 390],
] as const;

/** Draws the open page in both languages and themes, and on a phone; each shows these words. */
export async function inEveryLook(page: Page, name: string, shows: string | RegExp): Promise<void> {
  for (const [language, theme, width] of looks) {
    await page.evaluate(
      ([to, paint]) => (localStorage.setItem("panel-language", to), localStorage.setItem("panel-theme", paint)),
      [language, theme] as const,
    );
    await page.setViewportSize({ width, height: 900 });
    await page.reload();
    await expect(page.locator("html")).toHaveAttribute("lang", language);
    await expect(page.getByText(shows).first()).toBeVisible();
    await passesGates(page);
    await picture(page, `${name}-${language}-${theme}-${width}`);
  }
  await page.evaluate(
    () => (localStorage.setItem("panel-language", "en"), localStorage.setItem("panel-theme", "dark")),
  );
  await page.setViewportSize({ width: 1360, height: 860 });
  await page.reload();
}
