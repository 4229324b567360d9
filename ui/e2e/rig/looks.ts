import type { Page } from "@playwright/test";
import { expect, passesGates, picture } from "./test";

type Look = readonly [language: string, theme: string, width: number];

const usual: Look = ["en", "dark", 1360];
const looks: Look[] = [usual, ["ru", "light", 1360], ["ru", "dark", 768], ["ru", "dark", 390], ["en", "light", 390]];

/**
 * Draws the open page in both languages and themes, and on a phone; each shows these words. Only another language or
 * theme is drawn anew: a page follows its width by itself.
 */
export async function inEveryLook(page: Page, name: string, shows: string | RegExp): Promise<void> {
  for (const look of looks) {
    const [language, theme, width] = look;
    await draw(page, look);
    await expect(page.locator("html")).toHaveAttribute("lang", language);
    await expect(page.getByText(shows).first()).toBeVisible();
    await passesGates(page);
    await picture(page, `${name}-${language}-${theme}-${width}`);
  }
  await draw(page, usual);
}

async function draw(page: Page, [language, theme, width]: Look): Promise<void> {
  await page.setViewportSize({ width, height: width === 1360 ? 860 : 900 });
  const root = page.locator("html");
  const drawn = [await root.getAttribute("lang"), await root.getAttribute("data-mantine-color-scheme")];
  if (drawn[0] === language && drawn[1] === theme) return;
  await page.evaluate(
    ([to, paint]) => (localStorage.setItem("panel-language", to), localStorage.setItem("panel-theme", paint)),
    [language, theme] as const,
  );
  await page.reload();
}
