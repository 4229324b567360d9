import { act, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { InSight } from "./in-sight";

afterEach(() => vi.unstubAllGlobals());

/** A browser that tells when something comes near the window. */
function browser() {
  const tell: ((entries: { isIntersecting: boolean }[]) => void)[] = [];
  class Watcher {
    constructor(told: (typeof tell)[number]) {
      tell.push(told);
    }
    observe() {}
    disconnect() {}
  }
  vi.stubGlobal("IntersectionObserver", Watcher);
  return (isIntersecting: boolean) => act(() => tell.forEach((told) => told([{ isIntersecting }])));
}

const draw = () => render(<InSight height={200}>the charts</InSight>);

it("draws what stands below the window when it comes near, and keeps it", () => {
  const near = browser();
  draw();
  near(false);
  expect(screen.queryByText("the charts")).not.toBeInTheDocument();
  near(true);
  expect(screen.getByText("the charts")).toBeInTheDocument();
  near(false);
  expect(screen.getByText("the charts")).toBeInTheDocument();
});

it("draws everything for a printer", () => {
  browser();
  draw();
  act(() => void window.dispatchEvent(new Event("beforeprint")));
  expect(screen.getByText("the charts")).toBeInTheDocument();
});

it("draws everything in a browser that cannot tell", () => {
  draw();
  expect(screen.getByText("the charts")).toBeInTheDocument();
});
