// Fails when what the browser loads for the first route is over the budget, in bytes or in requests.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const dist = new URL("../dist/", import.meta.url).pathname;
const manifest = JSON.parse(readFileSync(join(dist, ".vite/manifest.json"), "utf8"));
const page = readFileSync(join(dist, "index.html"), "utf8");
// Requests: the page, its script about the theme, its icon, three fonts and ten calls of the API stand beside these files.
const budget = { js: 300, css: 45, files: 16 };
// What the first screen of a visitor needs beside the shell, which has the sign-in page: its words.
const first = ["src/modules/accounts/messages.en.json", "src/app/messages.en.json"];

const files = new Set([...page.matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map(([, file]) => file));
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

const size = { js: 0, css: 0, files: files.size };
for (const file of files) {
  const kind = file.endsWith(".css") ? "css" : "js";
  size[kind] += gzipSync(readFileSync(join(dist, file)), { level: 9 }).length / 1000;
}
const over = Object.keys(budget).filter((kind) => size[kind] > budget[kind]);
console.log(
  `first route: ${size.js.toFixed(1)} of ${budget.js} kB script gz, ${size.css.toFixed(1)} of ${budget.css} kB style gz, ` +
    `${size.files} of ${budget.files} files`,
);
if (over.length > 0) {
  console.error(`over the budget: ${over.join(", ")}; load it with a dynamic import where it is used`);
  process.exit(1);
}
