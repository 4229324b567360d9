import { afterEach, expect, it, vi } from "vitest";
import { catchKeys, type KeyCatcher } from "./typed-ahead";

let catcher: KeyCatcher | undefined;
afterEach(() => void catcher?.take());

function press(key: string, held: KeyboardEventInit = {}): KeyboardEvent {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...held });
  document.body.dispatchEvent(event);
  return event;
}

it("catches what is typed until it is taken, and hides it from the page", () => {
  const page = vi.fn();
  document.addEventListener("keydown", page);
  catcher = catchKeys(() => undefined);
  for (const key of ["f", "r", "x", "Backspace", "a"]) expect(press(key).defaultPrevented).toBe(true);
  expect(page).not.toHaveBeenCalled();
  expect(catcher.take()).toEqual({ text: "fra", entered: false });
  expect(press("z").defaultPrevented).toBe(false);
  expect(page).toHaveBeenCalledOnce();
  document.removeEventListener("keydown", page);
});

it("notes Enter, after which nothing more belongs to the text", () => {
  catcher = catchKeys(() => undefined);
  for (const key of ["n", "o", "Enter", "x"]) press(key);
  expect(catcher.take()).toEqual({ text: "no", entered: true });
});

it("leaves keys with Ctrl, and those of a script that is being composed, to others", () => {
  catcher = catchKeys(() => undefined);
  expect(press("k", { ctrlKey: true }).defaultPrevented).toBe(false);
  expect(press("k", { isComposing: true }).defaultPrevented).toBe(false);
  expect(press("Shift").defaultPrevented).toBe(false);
  expect(catcher.take().text).toBe("");
});

it("ends with Escape, which closes what was to open", () => {
  const closed = vi.fn();
  catcher = catchKeys(closed);
  press("a");
  press("Escape");
  expect(closed).toHaveBeenCalledOnce();
  expect(press("b").defaultPrevented).toBe(false);
});

it("is over when something else gets the focus, and after a while", () => {
  vi.useFakeTimers();
  catcher = catchKeys(() => undefined);
  document.body.dispatchEvent(new FocusEvent("focusin", { bubbles: true }));
  expect(press("a").defaultPrevented).toBe(false);
  catcher = catchKeys(() => undefined);
  expect(press("a").defaultPrevented).toBe(true);
  vi.advanceTimersByTime(6_000);
  expect(press("b").defaultPrevented).toBe(false);
  vi.useRealTimers();
});
