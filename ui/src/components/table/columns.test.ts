import { expect, it } from "vitest";
import { fitColumns, type Column } from "./columns";

const column = (key: string, more: Partial<Column<object>> = {}): Column<object> => ({
  key,
  head: key,
  cell: () => null,
  width: 100,
  ...more,
});
const columns = [
  column("name", { width: undefined }),
  column("health"),
  column("cpu", { drop: 1 }),
  column("tags", { drop: 2 }),
  column("memory", { extra: true }),
];
const besides = { check: true, menu: true };
const keys = (found: Column<object>[]) => found.map(({ key }) => key);

it("leaves out what matters least where there is no room, and says so", () => {
  const wide = fitColumns(columns, {}, 1000, besides);
  expect(keys(wide.shown)).toEqual(["name", "health", "cpu", "tags"]);
  const narrow = fitColumns(columns, {}, 500, besides);
  expect(keys(narrow.shown)).toEqual(["name", "health", "cpu"]);
  expect(keys(narrow.noRoom)).toEqual(["tags"]);
  expect(keys(fitColumns(columns, {}, 300, besides).shown)).toEqual(["name", "health"]);
});

it("keeps what somebody chose at any width, and the table is scrolled for it", () => {
  const chosen = fitColumns(columns, { memory: true, tags: true, health: false }, 300, besides);
  expect(keys(chosen.shown)).toEqual(["name", "tags", "memory"]);
  expect(chosen.least).toBeGreaterThan(300);
});

it("does not guess widths of columns that have none", () => {
  const free = columns.map((one) => ({ ...one, width: undefined }));
  expect(keys(fitColumns(free, {}, 200, besides).shown)).toEqual(["name", "health", "cpu", "tags"]);
});
