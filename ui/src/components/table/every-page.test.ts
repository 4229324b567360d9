import { expect, it } from "vitest";
import { everyPage } from "./every-page";

it("reads a list to its end, not only its first page", async () => {
  const pages: Record<string, { items: number[]; next_cursor: string | null }> = {
    "": { items: [1, 2], next_cursor: "b" },
    b: { items: [3], next_cursor: null },
  };
  expect(await everyPage((cursor) => Promise.resolve(pages[cursor ?? ""]!))).toEqual([1, 2, 3]);
});
