import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const source = join(import.meta.dirname, "..");
const most = 25;

const isCounted = (name: string) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name);

function crowded(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && isCounted(entry.name));
  const below = entries.filter((entry) => entry.isDirectory()).flatMap((entry) => crowded(join(folder, entry.name)));
  return files.length > most ? [`${folder.slice(source.length + 1)}: ${files.length}`, ...below] : below;
}

it("has no folder with more than 25 files beside tests and styles", () => {
  expect(crowded(source)).toEqual([]);
});
