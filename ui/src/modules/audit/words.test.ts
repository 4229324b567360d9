import { expect, it } from "vitest";
import type { Entry } from "./api";
import { placeOf, refusalOf } from "./words";

const entry = (change: Partial<Entry>) =>
  ({ action: "account.updated", changes: {}, object: { type: "account", id: "7", name: "anna" }, ...change }) as Entry;

it("leads to an object that has a page and still exists", () => {
  expect(placeOf(entry({}))).toBe("/accounts/7");
  expect(placeOf(entry({ action: "account.deleted" }))).toBeUndefined();
  expect(placeOf(entry({ object: { type: "license", id: "x", name: "" } }))).toBe("/license");
  expect(placeOf(entry({ object: { type: "operation", id: "GET /", name: "" } }))).toBeUndefined();
});

it("reads the reason of a refusal, and only there", () => {
  expect(
    refusalOf(entry({ action: "access.denied", changes: { code: { from: null, to: "permission_denied" } } })),
  ).toBe("permission_denied");
  expect(refusalOf(entry({ changes: { code: { from: "DE", to: "NL" } } }))).toBeUndefined();
});
