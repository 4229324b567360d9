import { expect, it } from "vitest";
import { grouped } from "./secret-card";

it("writes a secret in fours and loses nothing", () => {
  expect(grouped("ABCDEFGHIJ")).toBe("ABCD EFGH IJ");
  expect(grouped("ABCD")).toBe("ABCD");
});
