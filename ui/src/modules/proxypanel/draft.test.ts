import { describe, expect, it } from "vitest";
import { changeOf, draftOf, freshOf, newOf, problemsOf, type Draft } from "./draft";
import { makeConnection } from "./testing";

const given = <Value>(value: Value) => ({ way: "given" as const, value });
const removed = <Value>(value: Value) => ({ way: "removed" as const, value });

const pem = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----";
const key = "-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----";

const filled = (change: Partial<Draft> = {}): Draft => ({
  ...draftOf(),
  label: " Main ",
  base_url: " https://panel.example.com ",
  token: given(" a.b.c "),
  ...change,
});

describe("a new connection", () => {
  it("needs a label, an address and a token, in this order", () => {
    expect(Object.keys(problemsOf(draftOf()))).toEqual(["label", "base_url", "token"]);
    expect(problemsOf(filled())).toEqual({});
  });

  it.each(["panel.example.com", "ftp://panel.example.com", "https://", "https:///path"])(
    "is not reached at %s",
    (base_url) => expect(problemsOf(filled({ base_url }))).toEqual({ base_url: "address" }),
  );

  it("sends what was entered, without what was left empty", () => {
    expect(newOf(filled())).toEqual({ label: "Main", base_url: "https://panel.example.com", token: "a.b.c" });
  });

  it("sends headers by their names, without empty rows", () => {
    const rows = [
      { name: " X-Gate ", value: " one " },
      { name: "", value: "" },
    ];
    const draft = filled({ direct: true, extra_headers: given(rows), cookie: given("a=b") });
    expect(newOf(draft)).toMatchObject({ direct: true, extra_headers: { "X-Gate": "one" }, cookie: "a=b" });
  });

  it("does not take half a header, or two of one name", () => {
    const wrong = (...rows: [string, string][]) =>
      problemsOf(filled({ extra_headers: given(rows.map(([name, value]) => ({ name, value }))) })).extra_headers;
    expect(wrong(["X-Gate", ""])).toBe("header");
    expect(wrong(["", "one"])).toBe("header");
    expect(wrong(["X-Gate", "one"], ["x-gate", "two"])).toBe("headerTwice");
    expect(wrong(["X-Gate", "one"], ["", ""])).toBeUndefined();
  });

  it("takes certificates only in PEM, and a client's only with its open key", () => {
    const wrong = (ca: string, pair: string) => problemsOf(filled({ ca: given(ca), client_certificate: given(pair) }));
    expect(wrong("MIIB", pem)).toEqual({ ca: "ca", client_certificate: "pair" });
    expect(wrong(pem, `${pem}\n${key}`)).toEqual({});
    const sealed = key.replaceAll("PRIVATE", "ENCRYPTED PRIVATE");
    expect(wrong(pem, `${pem}\n${sealed}`)).toEqual({ client_certificate: "sealed" });
  });
});

describe("a fresh proxy panel", () => {
  it("needs no token, and is sent nothing but its address and headers", () => {
    const draft = filled({ token: given(""), extra_headers: given([{ name: "X-Gate", value: "one" }]) });
    expect(problemsOf(draft, {}, true)).toEqual({});
    expect(freshOf(draft)).toEqual({
      label: "Main",
      base_url: "https://panel.example.com",
      extra_headers: { "X-Gate": "one" },
    });
  });
});

describe("a change", () => {
  const stored = makeConnection({ has_extra_headers: true, has_cookie: true, has_ca: true });

  it("of nothing is none", () => expect(changeOf(draftOf(stored), stored)).toBeUndefined());

  it("leaves what is stored and never shown alone", () => {
    const draft = { ...draftOf(stored), label: "Second" };
    expect(changeOf(draft, stored)).toEqual({ id: stored.id, revision: 3, label: "Second" });
  });

  it("replaces the token and takes away the rest, each by itself", () => {
    const draft: Draft = {
      ...draftOf(stored),
      direct: true,
      token: given("d.e.f"),
      extra_headers: removed([]),
      cookie: removed(""),
      ca: given(pem),
    };
    expect(changeOf(draft, stored)).toEqual({
      id: stored.id,
      revision: 3,
      direct: true,
      token: "d.e.f",
      extra_headers: {},
      cookie: "",
      ca: pem,
    });
  });

  it("asks for a value where a stored one is to be replaced", () => {
    const draft: Draft = {
      ...draftOf(stored),
      token: given(" "),
      extra_headers: given([{ name: "", value: "" }]),
      cookie: given(""),
      ca: given(""),
    };
    expect(problemsOf(draft, stored)).toEqual({
      token: "token",
      extra_headers: "value",
      cookie: "value",
      ca: "value",
    });
  });
});
