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
    chunkSizeWarningLimit: 900,
    manifest: true,
    target: "es2023",
    rolldownOptions: {
      output: {
        // Parts that are put together may import each other in a circle; modules still run after those they import.
        strictExecutionOrder: true,
        // The names of merged chunks list everything that uses them.
        chunkFileNames: (chunk) => `assets/${chunk.name.split("~")[0]}-[hash].js`,
        assetFileNames: (asset) => `assets/${(asset.names[0] ?? "asset").split(/[~.]/)[0]}-[hash][extname]`,
        // What every visitor loads comes in two files, libraries apart from our own; small parts that several pages
        // share are put together. Otherwise the first page asks for eighty files.
        codeSplitting: {
          groups: [
            { name: "kit", tags: ["$initial"], test: /node_modules/, priority: 3 },
            { name: "panel", tags: ["$initial"], priority: 2 },
            {
              name: "shared",
              test: (id) => /\.(tsx?|m?js|css)$/.test(id),
              minShareCount: 2,
              entriesAware: true,
              entriesAwareMergeThreshold: 20_000,
              priority: 1,
            },
          ],
        },
      },
    },
  },
  server: { proxy: Object.fromEntries(proxied.map((path) => [path, { target: panel }])) },
  test: {
    environment: "jsdom",
    setupFiles: ["src/testing/setup.ts"],
    include: ["src/**/*.test.{ts,tsx}"],
    restoreMocks: true,
    expect: { poll: { timeout: 15_000 } },
  },
});
