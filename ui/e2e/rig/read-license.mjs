// Tells what the license screen of a running panel shows, once for each line on standard input, as lines of JSON.
// Usage: CHROMIUM=/usr/bin/chromium PANEL_API_TOKEN=… node read-license.mjs http://localhost:8080
import { createInterface } from "node:readline";
import { chromium } from "@playwright/test";

const [panel] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: ["--no-sandbox", "--disable-gpu"],
});
const context = await browser.newContext({ locale: "en-US" });
await context.addInitScript((token) => sessionStorage.setItem("panel-session", token), process.env.PANEL_API_TOKEN);
const page = await context.newPage();

async function read() {
  await page.goto(`${panel}/license`, { timeout: 60_000 });
  const state = page.getByLabel("State of the license");
  const none = page.getByText("No license yet");
  await state.or(none).first().waitFor({ timeout: 60_000 });
  return {
    state: (await state.count()) ? await state.innerText() : await none.innerText(),
    page: await page.locator("body").innerText(),
  };
}

for await (const line of createInterface({ input: process.stdin })) {
  if (line === "end") break;
  console.log(JSON.stringify(await read().catch((error) => ({ error: String(error) }))));
}
await browser.close();
