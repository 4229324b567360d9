import { expect, it } from "vitest";
import { countryName } from "@/text/place";
import { countries } from "./country";

it("names countries in the language of the page and offers no union or country that is gone", () => {
  expect(countryName("DE", "ru")).toBe("Германия");
  expect(countryName("??", "en")).toBe("??");
  const codes = countries("en").map(({ code }) => code);
  expect(codes).toEqual(expect.arrayContaining(["DE", "RU", "KZ", "US"]));
  expect(codes).not.toEqual(expect.arrayContaining(["EU"]));
  expect(codes).not.toContain("SU");
  expect(codes.length).toBeGreaterThan(230);
});
