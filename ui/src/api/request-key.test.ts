import { renderHook } from "@testing-library/react";
import { expect, it } from "vitest";
import { useRequestKey } from "./request-key";

it("stays while the same is typed, and is new for something else", () => {
  const { result, rerender } = renderHook((body: { name: string }) => useRequestKey(body), {
    initialProps: { name: "first" },
  });
  const key = result.current;
  expect(key).toMatch(/^[0-9a-f]{32}$/);
  rerender({ name: "first" });
  expect(result.current).toBe(key);
  rerender({ name: "second" });
  expect(result.current).not.toBe(key);
});
