import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { session } from "./session";
import { followTopics, parseEvent } from "./stream";

describe("live events", () => {
  it("takes the kind from the body, else from the message's name", () => {
    expect(parseEvent("node.online", '{"subject_id":"1"}')).toEqual({ kind: "node.online", subject_id: "1" });
    expect(parseEvent("message", '{"kind":"node.offline"}')).toEqual({ kind: "node.offline" });
  });

  it("drops what it cannot read", () => {
    expect(parseEvent(undefined, "{}")).toBeUndefined();
    expect(parseEvent("node.online", "not json")).toBeUndefined();
  });
});

describe("a stream that is refused", () => {
  const before = session.getState();
  let stop: AbortController;
  beforeEach(() => {
    stop = new AbortController();
  });
  afterEach(() => {
    stop.abort();
    vi.useRealTimers();
    vi.unstubAllGlobals();
    session.setState(before, true);
  });

  const refusedWith = (status: number, code: string) => {
    const fetch = vi.fn(() => Promise.resolve(Response.json({ status, code }, { status })));
    vi.stubGlobal("fetch", fetch);
    vi.useFakeTimers();
    session.setState({ token: "ps_test", ended: false });
    void followTopics("node", () => undefined, stop.signal);
    return fetch;
  };

  it("tells that the session has ended, and asks no more before somebody has signed in again", async () => {
    const fetch = refusedWith(401, "no_session");
    await vi.advanceTimersByTimeAsync(60_000);
    expect(session.getState()).toEqual({ token: undefined, ended: true });
    expect(fetch).toHaveBeenCalledOnce();
    session.setState({ token: "ps_again", ended: false });
    await vi.advanceTimersByTimeAsync(20_000);
    expect(fetch.mock.calls.length).toBeGreaterThan(1);
  });

  it("asks again after a refusal that passes", async () => {
    const fetch = refusedWith(429, "rate_limited");
    await vi.advanceTimersByTimeAsync(60_000);
    expect(session.getState()).toEqual({ token: "ps_test", ended: false });
    expect(fetch.mock.calls.length).toBeGreaterThan(3);
  });
});
