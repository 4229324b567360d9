import { describe, expect, it } from "vitest";
import { makeSecurity } from "./testing";
import { warningsOf } from "./warnings";

describe("warnings about the settings", () => {
  const good = makeSecurity();

  it("are none where everything is set well", () => {
    expect(warningsOf(good)).toEqual([]);
  });

  it("put a key that does not open first", () => {
    expect(
      warningsOf({
        ...good,
        master_key: { ...good.master_key, readable: false, source: "file", previous_given: true },
      }),
    ).toEqual(["unreadable", "generated", "previous"]);
  });

  it("say to keep an earlier key as long as a secret needs it", () => {
    expect(
      warningsOf({ ...good, master_key: { ...good.master_key, previous_given: true, previous_secrets: 3 } }),
    ).toEqual(["resealing"]);
    expect(warningsOf({ ...good, master_key: { ...good.master_key, previous_given: true } })).toEqual(["previous"]);
  });

  it("notice a proxy that is not trusted", () => {
    expect(warningsOf({ ...good, trusted_proxies: { ...good.trusted_proxies, list: [], ignored: true } })).toEqual([
      "proxy",
    ]);
  });

  it("tell an address without TLS from none", () => {
    expect(
      warningsOf({ ...good, public_url: { ...good.public_url, origin: "http://panel.example.net", https: false } }),
    ).toEqual(["http"]);
    expect(
      warningsOf({ ...good, public_url: { ...good.public_url, origin: "http://localhost:8080", https: false } }),
    ).toEqual([]);
    expect(warningsOf({ ...good, public_url: { ...good.public_url, given: false, origin: "", https: false } })).toEqual(
      ["noAddress"],
    );
  });
});
