import { act, cleanup, renderHook } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { useIdle } from "./use-idle";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe("where the browser tells when it is idle", () => {
  function browser() {
    let call = (): void => undefined;
    const cancel = vi.fn();
    const ask = vi.fn((callback: () => void, options: { timeout: number }) => {
      call = callback;
      return options.timeout;
    });
    vi.stubGlobal("requestIdleCallback", ask);
    vi.stubGlobal("cancelIdleCallback", cancel);
    return { ask, cancel, becomesIdle: () => act(() => call()) };
  }

  it("waits for that, and no longer than two seconds", () => {
    const { ask, becomesIdle } = browser();
    const { result } = renderHook(() => useIdle());
    expect(result.current).toBe(false);
    expect(ask).toHaveBeenCalledWith(expect.any(Function), { timeout: 2_000 });
    becomesIdle();
    expect(result.current).toBe(true);
  });

  it("asks once, however often it is drawn", () => {
    const { ask, becomesIdle } = browser();
    const { rerender } = renderHook(() => useIdle());
    rerender();
    becomesIdle();
    rerender();
    expect(ask).toHaveBeenCalledOnce();
  });

  it("takes its wish back when what waits is gone", () => {
    const { cancel } = browser();
    renderHook(() => useIdle()).unmount();
    expect(cancel).toHaveBeenCalledWith(2_000);
  });
});

it("begins after the first drawing where the browser does not tell", async () => {
  vi.useFakeTimers();
  const { result } = renderHook(() => useIdle());
  expect(result.current).toBe(false);
  await act(() => vi.runAllTimersAsync());
  expect(result.current).toBe(true);
});
