import { screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { renderApp } from "@/testing/render-app";
import { Carried, isFresh, sumOf, type Load } from "./carried";

const now = () => new Date().toISOString();
const load = (change: Partial<Load> = {}): Load => ({
  sessions: 2,
  up_bps: 1_500,
  down_bps: 3_000_000,
  observed_at: now(),
  ...change,
});

describe("what something carries", () => {
  it("is told in one line", async () => {
    await renderApp(<Carried load={load()} />);
    expect(await screen.findByText("2 sessions")).toBeVisible();
    expect(screen.getByText("↑ 1.50 kbit/s")).toBeVisible();
    expect(screen.getByText("1.50 kbit/s from clients")).toBeInTheDocument();
    expect(screen.getByText("3.00 Mbit/s to clients")).toBeInTheDocument();
  });

  it("leaves out what nobody counts, and does not call it none", async () => {
    await renderApp(<Carried load={load({ sessions: null })} />);
    expect(await screen.findByText(/from clients/)).toBeInTheDocument();
    expect(screen.queryByText(/session/)).toBeNull();
  });

  it("says since when there is nothing new instead of an old figure", async () => {
    await renderApp(<Carried load={load({ observed_at: new Date(Date.now() - 60_000).toISOString() })} />);
    expect(await screen.findByText(/no data/i)).toBeVisible();
    expect(screen.queryByText(/from clients/)).toBeNull();
  });

  it("is the sum of its parts, as old as the oldest, and unknown where all are", () => {
    const early = new Date(0).toISOString();
    expect(sumOf([load({ sessions: null }), load({ observed_at: early })])).toEqual({
      sessions: 2,
      up_bps: 3_000,
      down_bps: 6_000_000,
      observed_at: early,
    });
    expect(sumOf([load({ sessions: null }), load({ sessions: null })]).sessions).toBeNull();
    expect(sumOf([]).observed_at).toBeNull();
  });

  it("is of now for two intervals of measuring", () => {
    const at = Date.parse("2026-01-01T00:00:00Z");
    const measured = load({ observed_at: "2026-01-01T00:00:00Z" });
    expect(isFresh(measured, at + 29_999, 30)).toBe(true);
    expect(isFresh(measured, at + 30_000, 30)).toBe(false);
    expect(isFresh(load({ observed_at: null }), at, 30)).toBe(false);
  });
});
