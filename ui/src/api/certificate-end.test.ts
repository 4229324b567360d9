import { describe, expect, it } from "vitest";
import { certificateEnd, daysLeft, type CertificateLife } from "./certificate-end";

const day = 86_400_000;
const now = Date.parse("2026-03-11T12:00:00Z");
const at = (days: number) => new Date(now + days * day).toISOString();

const life = (left: number, length?: number, state: CertificateLife["state"] = "valid"): CertificateLife => ({
  state,
  not_after: at(left),
  ...(length !== undefined && { not_before: at(left - length) }),
});

describe("the end of a certificate", () => {
  it("is near 14 days before it", () => {
    expect(certificateEnd(life(14.1, 90), now)).toBe("far");
    expect(certificateEnd(life(14, 90), now)).toBe("soon");
    expect(certificateEnd(life(60, 398), now)).toBe("far");
  });

  it("of a short lifetime is near when a sixth is left", () => {
    expect(certificateEnd(life(1.1, 6), now)).toBe("far");
    expect(certificateEnd(life(1, 6), now)).toBe("soon");
  });

  it("is over at its moment", () => {
    expect(certificateEnd(life(0, 90), now)).toBe("over");
    expect(certificateEnd({ state: "none", not_after: null }, now)).toBe("none");
  });

  it("is far while the panel calls it valid, where the beginning is not known", () => {
    expect(certificateEnd(life(5), now)).toBe("far");
    expect(certificateEnd(life(5, undefined, "expiring"), now)).toBe("soon");
    expect(certificateEnd(life(20, undefined, "expiring"), now)).toBe("far");
    expect(certificateEnd(life(5, undefined, "failed"), now)).toBe("soon");
  });
});

it("days that are left are whole ones", () => {
  expect(daysLeft(at(3.9), now)).toBe(3);
  expect(daysLeft(at(0.5), now)).toBe(0);
  expect(daysLeft(at(-2), now)).toBe(0);
});
