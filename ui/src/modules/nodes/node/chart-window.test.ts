import { describe, expect, it } from "vitest";
import type { components } from "@/api/schema.gen";
import { marksOf, outagesOf } from "./chart-marks";
import { movingWindow, zoomedWindow } from "./use-window";

type Entry = components["schemas"]["AuditEntry"];

describe("the window of a node's charts", () => {
  it("is the range, or the life of a young node and at least ten minutes", () => {
    const end = Date.parse("2026-03-01T12:00:00Z") / 1000;
    expect(movingWindow(end, "1h", "2026-01-01T00:00:00Z").from).toBe("2026-03-01T11:00:00.000Z");
    expect(movingWindow(end, "24h", "2026-03-01T09:00:00Z").from).toBe("2026-03-01T09:00:00.000Z");
    expect(movingWindow(end, "24h", "2026-03-01T11:59:00Z").from).toBe("2026-03-01T11:50:00.000Z");
  });

  it("that was dragged is whole seconds and a minute at least", () => {
    expect(zoomedWindow(100.4, 101.2)).toEqual({ from: "1970-01-01T00:01:40.000Z", to: "1970-01-01T00:02:40.000Z" });
    expect(zoomedWindow(0, 600.5).to).toBe("1970-01-01T00:10:01.000Z");
  });
});

describe("the marks of a node's charts", () => {
  const entry = (action: string, id: string, at: string) =>
    ({ action, at, object: { id, type: "x", name: "" } }) as Entry;

  it("are the known moments of the node and its flows, oldest first", () => {
    const marks = marksOf(
      [
        entry("node.restart_core", "n-1", "1970-01-01T00:00:09Z"),
        entry("flow.apply_succeeded", "f-1", "1970-01-01T00:00:05Z"),
        entry("flow.apply_succeeded", "f-other", "1970-01-01T00:00:06Z"),
        entry("node.updated", "n-1", "1970-01-01T00:00:07Z"),
      ],
      ["n-1", "f-1"],
    );
    expect(marks).toEqual([
      { at: 5, text: "apply", failure: false },
      { at: 9, text: "restart", failure: false },
    ]);
  });

  it("are where the node was lost and where it came back, not where it only answered late", () => {
    const change = (was: string, state: string, at: string) => ({ node_id: "n-1", name: "fra-01", was, state, at });
    expect(
      outagesOf([
        change("offline", "online", "1970-01-01T00:00:30Z"),
        change("degraded", "offline", "1970-01-01T00:00:20Z"),
        change("online", "degraded", "1970-01-01T00:00:10Z"),
        change("degraded", "online", "1970-01-01T00:00:05Z"),
      ]),
    ).toEqual([
      { at: 30, text: "online", failure: false },
      { at: 20, text: "offline", failure: true },
    ]);
  });
});
