// Fails when what the browser loads for the first route is over the budget.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const dist = new URL("../dist/", import.meta.url).pathname;
const manifest = JSON.parse(readFileSync(join(dist, ".vite/manifest.json"), "utf8"));
const budget = { js: 300, css: 45 };
// What the first screen of a visitor needs: the shell, its words and the sign-in page.
const first = ["index.html", ...Object.keys(manifest).filter((key) => /accounts\/sign-in-page|accounts\/messages\.en|app\/messages\.en/.test(key))];

const files = new Set();
const seen = new Set();
function collect(key) {
  if (seen.has(key)) return;
  seen.add(key);
  const entry = manifest[key];
  files.add(entry.file);
  (entry.css ?? []).forEach((file) => files.add(file));
  (entry.imports ?? []).forEach(collect);
}
first.forEach(collect);

const size = { js: 0, css: 0 };
for (const file of files) {
  const kind = file.endsWith(".css") ? "css" : "js";
  size[kind] += gzipSync(readFileSync(join(dist, file)), { level: 9 }).length / 1000;
}
const over = Object.keys(budget).filter((kind) => size[kind] > budget[kind]);
console.log(`first route: ${size.js.toFixed(1)} of ${budget.js} kB script gz, ${size.css.toFixed(1)} of ${budget.css} kB style gz`);
if (over.length > 0) {
  console.error(`over the budget: ${over.join(", ")}; load it with a dynamic import where it is used`);
  process.exit(1);
}
