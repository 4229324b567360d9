import { afterEach, expect, it, vi } from "vitest";
import { makePasskey, passkeysWork, PasskeyTrouble } from "./passkeys";

afterEach(() => vi.unstubAllGlobals());

function browserWith(create: () => Promise<unknown>) {
  vi.stubGlobal("PublicKeyCredential", { parseCreationOptionsFromJSON: (options: unknown) => options });
  vi.stubGlobal("navigator", { credentials: { create } });
}

it("knows where browsers refuse passkeys", () => {
  browserWith(() => Promise.resolve(null));
  expect(["localhost", "panel.example.net", "203.0.113.7", "[2001:db8::1]"].map(passkeysWork)).toEqual([
    true,
    true,
    false,
    false,
  ]);
  vi.unstubAllGlobals();
  expect(passkeysWork("localhost")).toBe(false);
});

it("hands over what the browser made", async () => {
  browserWith(() => Promise.resolve({ toJSON: () => ({ id: "made" }) }));
  expect(await makePasskey({ publicKey: { challenge: "c" } })).toEqual({ id: "made" });
});

it("tells a known authenticator from a cancelled question", async () => {
  browserWith(() => Promise.reject(new DOMException("", "InvalidStateError")));
  await expect(makePasskey({ publicKey: {} })).rejects.toEqual(new PasskeyTrouble("known"));
  browserWith(() => Promise.reject(new DOMException("", "NotAllowedError")));
  await expect(makePasskey({ publicKey: {} })).rejects.toEqual(new PasskeyTrouble("cancelled"));
});
