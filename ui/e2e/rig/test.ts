import { test as base, expect, type Locator, type Page } from "@playwright/test";
import { accessFaults } from "./accessibility";
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
    { scope: "worker", timeout: 360_000 },
  ],
  watch: [
    async ({ page, stand }, use) => {
      await page.addInitScript(keepMessages);
      const complaints: string[] = [];
      // A refusal that a journey provokes is written to the console by the browser itself, and so is a script of the
      // journey's own that a frame lets not run.
      page.on(
        "console",
        (message) =>
          message.type() === "error" &&
          !message.text().startsWith("Failed to load resource") &&
          !message.text().startsWith("Blocked script execution in 'about:srcdoc'") &&
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

/** Keeps the words of each message that appears, because it is gone after five seconds. */
function keepMessages(): void {
  const told: string[] = [];
  Object.assign(window, { told });
  new MutationObserver((records) => {
    for (const added of records.flatMap((record) => [...record.addedNodes]))
      if (added instanceof Element && added.matches(".mantine-Notification-root, :has(.mantine-Notification-root)"))
        told.push(added.textContent);
  }).observe(document, { childList: true, subtree: true });
}

/** Waits for a message of the page that says these words, whether it still stands or has gone already. */
export async function isTold(page: Page, words: string): Promise<void> {
  const take = (wanted: string) => {
    const { told } = window as unknown as { told: string[] };
    const at = told.findIndex((message) => message.includes(wanted));
    return at >= 0 && told.splice(at, 1).length > 0;
  };
  await expect.poll(() => page.evaluate(take, words), `the message "${words}"`).toBe(true);
}

/** Where something stands once it moves no more. */
export async function restingBox(what: Locator): Promise<Box> {
  let [last, found]: (Box | null)[] = [null, null];
  const same = async () => {
    [last, found] = [found, await what.boundingBox()];
    return found !== null && JSON.stringify(last) === JSON.stringify(found);
  };
  await expect.poll(same, { message: "it is drawn and stands still", intervals: [200] }).toBe(true);
  return found!;
}

export type Box = NonNullable<Awaited<ReturnType<Locator["boundingBox"]>>>;

/** Waits until what was changed or resized is drawn, with the colours that it fades to. */
export async function still(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await document.fonts.ready;
    for (let frames = 0; frames < 2; frames += 1) await new Promise((drawn) => requestAnimationFrame(drawn));
    const ending = document.getAnimations().filter((one) => one.effect?.getComputedTiming().endTime !== Infinity);
    const longest = new Promise((over) => setTimeout(over, 2_000));
    await Promise.race([Promise.allSettled(ending.map((one) => one.finished)), longest]);
  });
}

/** The gates of every page: accessible, no sideways scroll, no bare key of a message, no token where it must not be. */
export async function passesGates(page: Page): Promise<void> {
  await still(page);
  expect(await accessFaults(page)).toEqual([]);
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
