import { describe, expect, it } from "vitest";
import { readLines } from "./lines";

describe("a list of clients to import", () => {
  it("is an export, its list alone, or one name in each line", () => {
    expect(readLines('{"clients":[{"label":"Anna","tags":["vip"]}]}')).toEqual([{ label: "Anna", tags: ["vip"] }]);
    expect(readLines('[{"label":"Anna"}]')).toEqual([{ label: "Anna" }]);
    expect(readLines(" Anna \r\n\n Борис\n")).toEqual([{ label: "Anna" }, { label: "Борис" }]);
  });

  it("is nothing else", () => {
    for (const text of ["", "  \n", "{", '{"clients":1}', '[{"name":"Anna"}]', "[1]", '{"label":"Anna"}'])
      expect(readLines(text), text).toBeUndefined();
  });
});
