import { describe, expect, it } from "vitest";
import { Problem } from "@/api/problem";
import { secondFactorChallenge } from "./api";
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

describe("the second step", () => {
  it("is told by the code of the problem", () => {
    const required = new Problem({
      status: 401,
      code: "second_factor_required",
      challenge: "c-1",
      methods: ["passkey"],
      passkey_options: { publicKey: {} },
    });
    expect(secondFactorChallenge(required)).toEqual({
      token: "c-1",
      methods: ["passkey"],
      passkeyOptions: { publicKey: {} },
    });
    expect(secondFactorChallenge(new Problem({ status: 401, code: "bad_credentials" }))).toBeUndefined();
  });
});
