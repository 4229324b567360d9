import { defineConfig } from "@playwright/test";

const launchOptions = {
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--font-render-hinting=none"],
};

export default defineConfig({
  testDir: "e2e",
  timeout: 180_000,
  expect: { timeout: 20_000 },
  // One panel of its own for each worker; two cores carry one.
  workers: 1,
  fullyParallel: false,
  forbidOnly: true,
  retries: 0,
  reporter: [["list"]],
  use: {
    launchOptions,
    contextOptions: { reducedMotion: "reduce" },
    locale: "en-US",
    timezoneId: "Europe/Moscow",
    colorScheme: "dark",
    viewport: { width: 1360, height: 860 },
    trace: "off",
  },
});
