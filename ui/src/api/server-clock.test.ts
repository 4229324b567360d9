import { afterEach, expect, it, vi } from "vitest";
import { answer, api } from "./client";
import { learnServerTime, serverClock, serverNow } from "./server-clock";

const minutes = 60_000;
const off = () => serverNow() - Date.now();

afterEach(() => {
  vi.unstubAllGlobals();
  serverClock.setState(serverClock.getInitialState());
});

it("is learned from every answer of the panel, a refusal too", async () => {
  for (const [status, ahead] of [
    [200, 10 * minutes],
    [404, -10 * minutes],
  ] as const) {
    const headers = { Date: new Date(Date.now() + ahead).toUTCString() };
    vi.stubGlobal("fetch", () => Promise.resolve(Response.json({}, { status, headers })));
    await answer(api.GET("/api/v1/setup/state")).catch(() => undefined);
    expect(Math.abs(off() - ahead)).toBeLessThan(1_500);
  }
});

it("is that of a browser that goes right, and does not tremble with the whole seconds of the header", () => {
  learnServerTime(new Date(Date.now() - 1_000).toUTCString());
  expect(off()).toBe(0);
  learnServerTime(new Date(Date.now() + 10 * minutes).toISOString());
  const learned = off();
  learnServerTime(new Date(Date.now() + 10 * minutes - 900).toISOString());
  expect(off()).toBe(learned);
});

it("stays as it is when an answer tells no time", () => {
  learnServerTime(null);
  learnServerTime("yesterday");
  expect(off()).toBe(0);
});
