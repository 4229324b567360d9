import { describe, expect, it } from "vitest";
import { commonBits, formatBits, formatBytes, formatCountdown, formatNumber, formatSpan, formatUptime } from "./format";

describe("numbers", () => {
  it("counts speed in bits by thousands", () => {
    expect(formatBits(5_540_000_000, "en")).toEqual({ value: "5.54", unit: "Gbit/s" });
    expect(formatBits(5_540_000_000, "ru")).toEqual({ value: "5,54", unit: "Гбит/с" });
    expect(formatBits(0, "en")).toEqual({ value: "0", unit: "bit/s" });
  });

  it("counts volume in bytes by 1024", () => {
    expect(formatBytes(8_388_608, "en")).toBe("8.00 MB");
  });

  it("never writes a negative zero", () => {
    expect(formatNumber(-0.01, "en", 1)).toBe("0.0");
  });

  it("writes a column in one unit", () => {
    const bits = commonBits(2_530_000_000, "en");
    expect(bits.unit).toBe("Gbit/s");
    expect([bits.write(332_000_000), bits.write(2_530_000_000)]).toEqual(["0.33", "2.53"]);
  });
});

describe("times", () => {
  it("names a span by its largest unit", () => {
    expect([3, 840, 18_000, 172_800].map((seconds) => formatSpan(seconds, "en"))).toEqual([
      "3 s",
      "14 min",
      "5 h",
      "2 d",
    ]);
    expect(formatSpan(840, "ru")).toBe("14 мин");
  });

  it("names uptime by two units", () => {
    expect(formatUptime(194_400, "en")).toBe("2 d 6 h");
  });

  it("counts down with leading zeros after the first part", () => {
    expect(formatCountdown(38)).toBe("0:38");
    expect(formatCountdown(86_348)).toBe("23:59:08");
    expect(formatCountdown(-4)).toBe("0:00");
  });
});
