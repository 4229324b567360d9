// Writes the browser's types from the checked-in descriptions: of the published API, and of what only these screens call.
import { readFileSync, writeFileSync } from "node:fs";
import openapiTS, { astToString } from "openapi-typescript";

for (const [from, to] of [
  ["openapi.json", "schema.gen.ts"],
  ["hidden.json", "hidden.gen.ts"],
]) {
  const source = new URL(`../${from}`, import.meta.url);
  const types = await openapiTS(JSON.parse(readFileSync(source, "utf8")), {
    alphabetize: true,
    defaultNonNullable: false,
  });
  const target = new URL(`../src/api/${to}`, import.meta.url);
  writeFileSync(target, `// Generated from ${from} by "npm run api". Do not edit.\n${astToString(types)}`);
}
