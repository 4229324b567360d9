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
  await page.setViewportSize({ width, height: 860 });
  const root = page.locator("html");
  const drawn = [await root.getAttribute("lang"), await root.getAttribute("data-mantine-color-scheme")];
  if (drawn[0] === language && drawn[1] === theme) return;
  await page.evaluate(
    ([to, paint]) => (localStorage.setItem("panel-language", to), localStorage.setItem("panel-theme", paint)),
    [language, theme] as const,
  );
  await page.reload();
}

/** Looks at the page as it stands, with what is open over it: both themes, wide and on a phone. */
export async function inBothThemes(page: Page, name: string): Promise<void> {
  await page.evaluate(withoutMotion);
  for (const width of [1360, 390]) {
    await page.setViewportSize({ width, height: 860 });
    for (const theme of ["dark", "light"]) {
      await page.evaluate(
        (scheme) => document.documentElement.setAttribute("data-mantine-color-scheme", scheme),
        theme,
      );
      await passesGates(page);
      await picture(page, `${name}-${theme}-${width}`);
    }
  }
  await page.evaluate(() => document.documentElement.setAttribute("data-mantine-color-scheme", "dark"));
  await page.setViewportSize({ width: 1360, height: 860 });
}

/** Takes every transition out: a colour that is inherited would change many frames after the theme. */
export function withoutMotion(): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("*, ::before, ::after { transition: none !important; animation: none !important }");
  document.adoptedStyleSheets.push(sheet);
}
