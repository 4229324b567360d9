import { describe, expect, it } from "vitest";
import { auditSearch, fromLocalField, isFiltered, queryOf, rangeStart, toLocalField, withFamilies } from "./filter";

const now = new Date("2026-03-11T12:09:00Z");

describe("the filter in the address", () => {
  it("drops what is broken and keeps the rest", () => {
    expect(auditSearch.parse({ result: "perhaps", entry: "7", from: "yesterday", q: 42, actor: "anna" })).toEqual({
      q: "42",
      actor: "anna",
    });
  });

  it("becomes the API's words, without what is empty", () => {
    expect(queryOf({ q: "", actor: "anna", range: "1h" }, now)).toEqual({
      actor: "anna",
      from: "2026-03-11T11:09:00.000Z",
    });
    expect(queryOf({ from: "2026-03-01T00:00:00Z", to: "2026-03-02T00:00:00Z" }, now)).toEqual({
      from: "2026-03-01T00:00:00Z",
      to: "2026-03-02T00:00:00Z",
    });
  });

  it("knows whether it chooses at all", () => {
    expect([isFiltered({}), isFiltered({ q: "" }), isFiltered({ result: "denied" })]).toEqual([false, false, true]);
  });
});

it("begins today at the reader's midnight", () => {
  const start = rangeStart("today", now);
  expect([start.getHours(), start.getMinutes(), start.getDate()]).toEqual([0, 0, now.getDate()]);
});

it("offers a family where it holds more than one action", () => {
  expect(withFamilies(["account.created", "account.deleted", "node.created"])).toEqual([
    "account.*",
    "account.created",
    "account.deleted",
    "node.created",
  ]);
});

it("goes to a date field and back without losing the minute", () => {
  expect(fromLocalField(toLocalField("2026-03-11T12:09:00.000Z"))).toBe("2026-03-11T12:09:00.000Z");
  expect(fromLocalField("")).toBeUndefined();
});
