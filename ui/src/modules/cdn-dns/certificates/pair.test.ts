import { describe, expect, it } from "vitest";
import { authorityOf, covers, searched, shortNames } from "./names";
import { pairFault, refusedPair } from "./pair";

const certificate = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----";
const key = "-----BEGIN EC PRIVATE KEY-----\nMHcC\n-----END EC PRIVATE KEY-----";

describe("what is uploaded", () => {
  it("is a chain and a key, each in its own field", () => {
    expect(pairFault("chain", certificate)).toBeUndefined();
    expect(pairFault("key", key)).toBeUndefined();
    expect(pairFault("chain", " ")).toBe("missing");
    expect(pairFault("chain", "text")).toBe("noCertificate");
    expect(pairFault("key", certificate)).toBe("noKey");
    expect(pairFault("chain", certificate + key)).toBe("keyInChain");
  });

  it("has no passphrase and is no longer than the panel takes", () => {
    expect(pairFault("key", "-----BEGIN ENCRYPTED PRIVATE KEY-----")).toBe("sealed");
    expect(pairFault("key", "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED")).toBe("sealed");
    expect(pairFault("chain", certificate.padEnd(65_537))).toBe("tooLong");
    expect(pairFault("key", key.padEnd(16_385))).toBe("tooLong");
  });

  it("is refused in words of the page where the panel's sentence is known", () => {
    expect(refusedPair("the certificate is not valid now")).toBe("expired");
    expect(refusedPair("must not be empty")).toBeUndefined();
  });
});

describe("names of a certificate", () => {
  it("cover a host name by itself or by a wildcard one level above", () => {
    const names = ["*.example.com", "example.com"];
    expect(covers(names, "example.com")).toBe(true);
    expect(covers(names, "a.example.com")).toBe(true);
    expect(covers(names, "a.b.example.com")).toBe(false);
    expect(covers(["a.example.com"], "b.example.com")).toBe(false);
  });

  it("are looked for by as few texts as find all of them", () => {
    expect(searched(["*.example.com", "example.com", "a.example.com", "example.net"])).toEqual([
      "example.com",
      "example.net",
    ]);
  });

  it("are shown as the first and how many more", () => {
    expect(shortNames(["*.example.com", "example.com"])).toEqual({ first: "*.example.com", more: 1 });
  });
});

it("an authority is told by its name, or by its host", () => {
  expect(authorityOf("https://acme-v02.api.letsencrypt.org/directory").known).toBe("letsencrypt");
  expect(authorityOf("https://acme-staging-v02.api.letsencrypt.org/directory").known).toBe("staging");
  expect(authorityOf("https://ca.example:14000/dir")).toEqual({ known: undefined, host: "ca.example:14000" });
});
