import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

// The panel answers the API; during development it listens here.
const panel = process.env.PANEL_DEV_URL ?? "http://127.0.0.1:8080";
const proxied = ["/api", "/health", "/install", "/s/", "/sub/"];

/**
 * Has browsers compile whole, beside the main thread, the files of which every visit runs most. The word comes after
 * the names of files were made from their content, which it does not change.
 */
const compiledWhole: Plugin = {
  name: "compiled-whole",
  generateBundle: {
    order: "post",
    handler(_, bundle) {
      for (const chunk of Object.values(bundle))
        if (chunk.type === "chunk" && ["kit", "panel", "parts"].includes(chunk.name))
          chunk.code = `//# allFunctionsCalledOnLoad\n${chunk.code}`;
    },
  },
};

export default defineConfig({
  plugins: [react(), compiledWhole],
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
        // Few files: asking for one costs a slow machine as much as reading twenty kilobytes. What every visitor loads
        // comes in two, libraries apart from our own; then what pages are built of, what the pages of one module
        // share, and the overview with the parts that modules bring to it.
        codeSplitting: {
          groups: [
            { name: "kit", tags: ["$initial"], test: /node_modules/, priority: 5 },
            { name: "panel", tags: ["$initial"], priority: 4 },
            { name: "parts", test: /\/src\/(components|api|text)\/.*\.(tsx?|css)$/, minShareCount: 2, priority: 3 },
            { name: "parts", test: /node_modules/, minShareCount: 4, priority: 3 },
            {
              name: (id) => /\/src\/modules\/([^/]+)\/.*\.(tsx?|css)$/.exec(id)?.[1],
              minShareCount: 2,
              priority: 2,
            },
            { name: "overview", test: /\/modules\/overview\/.*\.(tsx?|css)$|-overview\.tsx$/, priority: 1 },
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
    maxWorkers: "100%",
    expect: { poll: { timeout: 15_000 } },
  },
});
