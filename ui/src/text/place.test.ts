import { describe, expect, it } from "vitest";
import { countryName, placeText } from "./place";

describe("a place", () => {
  it("is the country and the network in the language of the page", () => {
    const place = { country: "DE", asn: 64500, network: "Example GmbH" };
    expect(placeText(place, "en")).toBe("Germany, AS64500 Example GmbH");
    expect(placeText(place, "ru")).toBe("Германия, AS64500 Example GmbH");
  });

  it("leaves out what nobody knows", () => {
    expect(placeText({ country: "", asn: 64500, network: "" }, "en")).toBe("AS64500");
    expect(placeText({ country: "NL", asn: 0, network: "" }, "en")).toBe("Netherlands");
    expect(placeText({ country: "", asn: 0, network: "" }, "en")).toBe("");
  });

  it("keeps a code that has no name", () => {
    expect(countryName("not a code", "en")).toBe("not a code");
  });
});
