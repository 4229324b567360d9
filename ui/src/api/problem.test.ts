import { describe, expect, it } from "vitest";
import { asProblem, fieldErrors, isProblem, Problem, problemOf } from "./problem";

const response = (status: number, headers: Record<string, string> = {}) => new Response(null, { status, headers });

describe("problem", () => {
  it("keeps code, request id and fields of the document", () => {
    const problem = problemOf(response(422), {
      status: 422,
      code: "invalid_value",
      request_id: "r-1",
      errors: [{ field: "body.name", code: "too_short", message: "too short" }],
    });
    expect(problem).toMatchObject({ code: "invalid_value", requestId: "r-1", status: 422 });
    expect(fieldErrors(problem)).toEqual({ name: "too short" });
  });

  it("makes a problem of an answer that is none", () => {
    expect(problemOf(response(502, { "X-Request-Id": "r-2" }), "<html>")).toMatchObject({
      code: "http_502",
      requestId: "r-2",
    });
  });

  it.each([
    [429, true],
    [502, true],
    [503, true],
    [504, true],
    [400, false],
    [403, false],
    [409, false],
    [500, false],
  ])("offers a retry on %i: %s", (status, offered) => {
    expect(new Problem({ status, code: "x" }).canRetry).toBe(offered);
  });

  it("reads Retry-After in seconds and as a date", () => {
    expect(problemOf(response(429, { "Retry-After": "12" }), null).retryAfterSeconds).toBe(12);
    const soon = new Date(Date.now() + 30_000).toUTCString();
    expect(problemOf(response(429, { "Retry-After": soon }), null).retryAfterSeconds).toBeGreaterThan(27);
  });

  it("tells a lost session by its code, not by the status", () => {
    expect(new Problem({ status: 401, code: "session_expired" }).endsSession).toBe(true);
    expect(new Problem({ status: 401, code: "bad_credentials" }).endsSession).toBe(false);
  });

  it("wraps what is no problem", () => {
    expect(isProblem(asProblem(new TypeError("boom")), "unexpected")).toBe(true);
  });
});
