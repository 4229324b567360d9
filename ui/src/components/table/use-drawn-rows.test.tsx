import { act, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { useDrawnRows } from "./use-drawn-rows";

const height = 40;
let pageGrows: () => void = () => undefined;
let watched: Element[] = [];

beforeEach(() => {
  watched = [];
  vi.stubGlobal(
    "ResizeObserver",
    class {
      constructor(private readonly told: () => void) {}
      observe(element: Element) {
        watched.push(element);
        if (element === document.body) pageGrows = this.told;
      }
      unobserve() {}
      disconnect() {
        watched = [];
      }
    },
  );
});
afterEach(() => vi.unstubAllGlobals());

function rowsAt(top: () => number, count: number, most?: number) {
  const element = document.createElement("div");
  const asked = vi.spyOn(element, "getBoundingClientRect").mockImplementation(() => ({ top: top() }) as DOMRect);
  const drawn = renderHook(() => useDrawnRows({ current: element }, count, height, 200, most));
  return { ...drawn, asked };
}

it("draws what fits into the window at once, with the page", () => {
  const { result } = rowsAt(() => 200, 5_000);
  const fitting = Math.ceil((window.innerHeight - 200) / height);
  expect(result.current.indexes.length).toBeGreaterThanOrEqual(fitting);
  expect(result.current.indexes.length).toBeLessThanOrEqual(fitting + 12);
  expect(result.current.indexes.length * height + result.current.below).toBe(5_000 * height);
});

it("draws a short list whole, and watches nothing for it", () => {
  const { result } = rowsAt(() => 200, 100);
  expect(result.current.indexes).toHaveLength(100);
  expect(watched).toEqual([]);
});

it("reads where the rows begin when the page has another height, not with each drawing", () => {
  let top = 200;
  const { result, asked, rerender } = rowsAt(() => top, 5_000);
  rerender();
  rerender();
  expect(asked).not.toHaveBeenCalled();
  const before = result.current.indexes.length;
  top = 600;
  act(() => pageGrows());
  expect(asked).toHaveBeenCalledOnce();
  expect(result.current.above).toBe(0);
  expect(result.current.indexes.length).toBeLessThan(before);
});
