// Writes the browser's types from the checked-in API description.
import { readFileSync, writeFileSync } from "node:fs";
import openapiTS, { astToString } from "openapi-typescript";

const source = new URL("../openapi.json", import.meta.url);
const target = new URL("../src/api/schema.gen.ts", import.meta.url);

const types = await openapiTS(JSON.parse(readFileSync(source, "utf8")), {
  alphabetize: true,
  defaultNonNullable: false,
});
writeFileSync(target, `// Generated from openapi.json by "npm run api". Do not edit.\n${astToString(types)}`);
