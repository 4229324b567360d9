import { useRef } from "react";

/** A key that no other request has. `crypto.randomUUID` is missing where the panel is opened without TLS. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * The Idempotency-Key of a form: the same as long as the same is typed, so that sending it once more after an answer
 * that was lost does nothing twice; another one as soon as something else is typed.
 */
export function useRequestKey(body: object): string {
  const text = JSON.stringify(body);
  const kept = useRef<{ text: string; key: string }>(undefined);
  if (kept.current?.text !== text) kept.current = { text, key: newKey() };
  return kept.current.key;
}
