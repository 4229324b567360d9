import { describe, expect, it } from "vitest";
import { parseEvent } from "./stream";

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
