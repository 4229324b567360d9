import { execFileSync } from "node:child_process";
import { defineConfig } from "@playwright/test";

const launchOptions = {
  executablePath: execFileSync("../scripts/chromium.sh", { cwd: import.meta.dirname, encoding: "utf8" }).trim(),
  args: ["--no-sandbox", "--disable-gpu", "--font-render-hinting=none"],
};

export default defineConfig({
  testDir: "e2e",
  // Generous, because the machine may be busy with other things: what is there is found at once all the same.
  timeout: 360_000,
  expect: { timeout: 40_000 },
  // One panel of its own for each worker. A journey waits more than it computes, so two cores carry three.
  workers: 3,
  fullyParallel: false,
  forbidOnly: true,
  // A journey that needed a second run is named as flaky at the end.
  retries: 1,
  reporter: [["list"]],
  use: {
    launchOptions,
    actionTimeout: 40_000,
    contextOptions: { reducedMotion: "reduce" },
    locale: "en-US",
    timezoneId: "Europe/Moscow",
    colorScheme: "dark",
    viewport: { width: 1360, height: 860 },
    trace: "off",
  },
});
