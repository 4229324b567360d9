import { describe, expect, it } from "vitest";
import { Problem } from "@/api/problem";
import { secondFactorChallenge } from "./api";
import { deviceName } from "./device-name";
import { localPath } from "./sign-in-page";

describe("where to go after signing in", () => {
  it.each([
    ["/nodes?state=offline", "/nodes?state=offline"],
    [undefined, "/"],
    ["https://evil.example", "/"],
    ["//evil.example", "/"],
    ["/\\evil.example", "/"],
  ])("%s leads to %s", (next, target) => expect(localPath(next)).toBe(target));
});

it("asks for the second step by the code of the problem", () => {
  expect(secondFactorChallenge(new Problem({ status: 401, code: "second_factor_required", challenge: "c-1" }))).toBe("c-1");
  expect(secondFactorChallenge(new Problem({ status: 401, code: "bad_credentials" }))).toBeUndefined();
});

it("names devices shortly", () => {
  expect(deviceName("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")).toBe("Firefox, Linux");
  expect(deviceName("panelctl/1.0")).toBe("panelctl");
  expect(deviceName("")).toBeUndefined();
});
