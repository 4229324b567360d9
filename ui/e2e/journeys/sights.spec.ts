import type { Page } from "@playwright/test";
import { accessFaults } from "../rig/accessibility";
import { withoutMotion } from "../rig/looks";
import { test } from "../rig/populated";
import { connectChecker, suffer } from "../rig/trouble";
import { expect, signIn, still } from "../rig/test";
import { sightsOf, type Sight, type Step } from "../rig/sights";

const widths = [1360, 768, 390];
const floating = '[role="dialog"], [role="menu"]';

/** What axe finds in the layer that is open over the page, else in the page, alone or with the frame around it. */
function violations(page: Page, rules: "all" | "colours", frame: boolean): Promise<string[]> {
  return accessFaults(page, { rules, within: frame ? [floating] : [floating, "main"] });
}

async function tooWide(page: Page): Promise<string[]> {
  const sideways = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  return sideways > 0 ? [`the page is ${sideways} px too wide`] : [];
}

/**
 * Looks at what stands now in every width and both themes. The light one differs from the dark in colours alone, so that
 * the widest is enough, and the frame is the same around every page: once in all is enough for it.
 */
async function look(page: Page, name: string, framed = false): Promise<string[]> {
  const found: string[] = [];
  for (const width of widths) {
    await page.setViewportSize({ width, height: 860 });
    for (const theme of width === widths[0] ? ["light", "dark"] : ["dark"]) {
      await page.evaluate(
        (scheme) => document.documentElement.setAttribute("data-mantine-color-scheme", scheme),
        theme,
      );
      await still(page);
      const now =
        theme === "dark"
          ? [...(await violations(page, "all", framed || width === widths[0])), ...(await tooWide(page))]
          : await violations(page, "colours", framed);
      found.push(...now.map((fault) => `${name} at ${width} px, ${theme}: ${fault}`));
    }
  }
  await page.setViewportSize({ width: widths[0]!, height: 860 });
  return found;
}

async function take(page: Page, step: Step): Promise<void> {
  if ("key" in step) return page.keyboard.press(step.key);
  if ("item" in step) return page.getByRole("menuitem", { name: step.item }).first().click();
  await page.getByRole("button", { name: step.button, exact: true }).first().click();
}

/** Closes what is open, also where the first Escape closes only a field in it. */
async function closeAll(page: Page): Promise<void> {
  for (let tries = 0; tries < 10 && (await page.locator(floating).filter({ visible: true }).count()) > 0; tries += 1) {
    await page.keyboard.press("Escape");
    await expect(page.locator(floating).filter({ visible: true }))
      .toHaveCount(0, { timeout: 1_000 })
      .catch(() => undefined);
  }
}

/** Where the navigation, the tabs and the sections of the open page lead to; a filter is no other page. */
async function waysOn(page: Page): Promise<string[]> {
  const ways = await page
    .locator('nav:not([aria-label="Breadcrumb"]) a')
    .evaluateAll((links) =>
      (links as HTMLAnchorElement[]).map(
        ({ pathname, search }) => pathname + (search.startsWith("?tab=") ? search : ""),
      ),
    );
  return ways.map(withoutIds);
}

/** Two objects of one kind have one page. */
function withoutIds(path: string): string {
  return path.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, ":id").replace(/\?tab=overview$/, "");
}

async function visit(page: Page, url: string, { path, layers = [] }: Sight, ways: Set<string>): Promise<string[]> {
  await page.goto(url + path);
  await expect(page.getByRole("heading").first()).toBeVisible();
  await expect(page.locator("main [aria-busy=true]")).toHaveCount(0);
  for (const way of await waysOn(page)) ways.add(way);
  const found = await look(page, path, path === "/");
  for (const { name, steps, beside, width } of layers) {
    if (width) await page.setViewportSize({ width, height: 860 });
    for (const step of steps) await take(page, step);
    if (!beside)
      await expect(page.locator(floating).filter({ visible: true }).first(), `${path}: ${name} opens`).toBeVisible();
    found.push(...(await look(page, `${path}, ${name}`)));
    await closeAll(page);
  }
  return found;
}

test("every page, drawer and dialog is accessible and as wide as the screen", async ({ page, stand, populated }) => {
  test.setTimeout(1_800_000);
  await page.addInitScript(withoutMotion);
  await connectChecker(stand, populated);
  const { incident, mend } = await suffer(stand, populated);
  await signIn(page, stand.url);
  const found: string[] = [];
  const ways = new Set<string>();
  const sights = sightsOf({ ...populated, incident });
  for (const sight of sights) found.push(...(await visit(page, stand.url, sight, ways)));
  await mend();
  expect(found).toEqual([]);
  const looked = new Set(sights.map(({ path }) => withoutIds(path)));
  expect([...ways].filter((way) => !looked.has(way)).sort(), "pages that nobody looked at").toEqual([]);
});
