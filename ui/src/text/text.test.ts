import type { TFunction } from "i18next";
import { describe, expect, it } from "vitest";
import { deviceName } from "./device-name";
import { initials } from "./initials";
import { makePassword, passwordProblem } from "./password-rule";

it("names devices shortly", () => {
  expect(deviceName("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")).toBe("Firefox, Linux");
  expect(deviceName("panelctl/1.0")).toBe("panelctl");
  expect(deviceName("")).toBeUndefined();
});

it("marks an account by two letters", () => {
  expect(["anna", "m.ivanov", "noc-wall", ""].map(initials)).toEqual(["AN", "MI", "NW", ""]);
});

describe("passwords", () => {
  const t = ((key: string) => key) as unknown as TFunction<"app">;

  it("have 8 to 128 characters, counted as people count them", () => {
    expect(
      ["1234567", "12345678", "пароль78", "x".repeat(128), "x".repeat(129)].map((value) => passwordProblem(value, t)),
    ).toEqual(["passwordRule.tooShort", null, null, null, "passwordRule.tooLong"]);
  });

  it("that are made keep the rule and differ", () => {
    const made = Array.from({ length: 50 }, makePassword);
    expect(new Set(made).size).toBe(50);
    for (const value of made) expect(value).toMatch(/^[a-km-zA-HJ-NP-Z2-9]{16}$/);
  });
});
