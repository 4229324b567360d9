import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

// The panel answers the API; during development it listens here.
const panel = process.env.PANEL_DEV_URL ?? "http://127.0.0.1:8080";
const proxied = ["/api", "/health", "/install", "/s/"];

export default defineConfig({
  plugins: [react()],
  resolve: { alias: { "@": new URL("./src", import.meta.url).pathname } },
  // The panel replaces this word by a fresh nonce in every answer.
  html: { cspNonce: "__CSP_NONCE__" },
  build: {
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
    manifest: true,
    target: "es2023",
  },
  server: { proxy: Object.fromEntries(proxied.map((path) => [path, { target: panel }])) },
  test: {
    environment: "jsdom",
    setupFiles: ["src/testing/setup.ts"],
    include: ["src/**/*.test.{ts,tsx}"],
    restoreMocks: true,
  },
});
