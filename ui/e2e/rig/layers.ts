import type { Page } from "@playwright/test";
import { passesGates, picture } from "./test";

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
