import { fireEvent, screen, within } from "@testing-library/react";
import user from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { api } from "@/api/client";
import type { OverviewPart, PastKnown, PastProps } from "@/module";
import { renderApp } from "@/testing/render-app";
import { OverviewView } from "../overview-view";
import { nearest } from "./past-view";
import { spanAround, stepOf } from "./span";
import { kept, within as withinKept } from "./use-moment";

const now = Date.parse("2026-03-11T12:00:00Z");
const at = "2026-03-11T05:53:00.000Z";
const day = 86_400_000;

beforeEach(() => {
  vi.useFakeTimers({ now, toFake: ["Date"] });
  const answered = { data: { items: [] }, response: new Response(null, { status: 200 }) };
  vi.spyOn(api, "GET").mockResolvedValue(answered as never);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

async function overview(path: string, known: PastKnown = {}) {
  const part: OverviewPart = {
    Tile: () => <p>nodes now</p>,
    Past: { useKnown: () => known, Tile: ({ at: moment }: PastProps) => <p>nodes at {moment}</p> },
  };
  const parts = [{ name: "nodes", part }];
  return renderApp(<OverviewView parts={parts} attention={[]} steps={[]} setupOpen={false} unseen={[]} />, { path });
}

describe("the time machine", () => {
  it("shows a moment in place of now, and now again", async () => {
    const { address } = await overview("/");
    expect(await screen.findByText("nodes now")).toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: "Time machine" }));
    expect(await screen.findByText("nodes at 2026-03-11T11:00:00.000Z")).toBeInTheDocument();
    expect(address()).toContain("at=");
    expect(screen.queryByText("nodes now")).not.toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: "Back to now" }));
    expect(await screen.findByText("nodes now")).toBeInTheDocument();
  });

  it("says on its slider which moment it is, and asks for one when it rests there", async () => {
    await overview(`/?at=${at}`);
    const slider = await screen.findByRole("slider", { name: "Moment that is shown" });
    expect(slider).toHaveAttribute("aria-valuetext", expect.stringContaining("11 Mar"));
    fireEvent.change(slider, { target: { value: String(now - 2 * day) } });
    expect(await screen.findByText(/^nodes at 2026-03-09T/)).toBeInTheDocument();
  });

  it("goes from one change to the next and says where there is none", async () => {
    await overview(`/?at=${at}`, { earlier: now - day });
    const bar = within(await screen.findByRole("region", { name: "Time machine" }));
    const later = bar.getByRole("button", { name: /^Change after/ });
    expect(later).toHaveAccessibleDescription("Nothing changed after");
    await user.click(bar.getByRole("button", { name: "Change before" }));
    expect(await screen.findByText("nodes at 2026-03-10T12:00:30.000Z")).toBeInTheDocument();
  });

  it("shows now for a moment that is not past", async () => {
    await overview(`/?at=${new Date(now + day).toISOString()}`);
    expect(await screen.findByText("nodes now")).toBeInTheDocument();
  });
});

describe("what the slider covers", () => {
  it("is the newest part where the moment is in it, else a part around the moment", () => {
    expect(spanAround(now - day / 2, day, now, undefined)).toEqual({ from: now - day, to: now });
    expect(spanAround(now - 3 * day, day, now, undefined)).toEqual({ from: now - 3.5 * day, to: now - 2.5 * day });
  });

  it("begins where the panel began to know, unless the moment is before", () => {
    expect(spanAround(now - day, kept, now, now - 2 * day)).toEqual({ from: now - 2 * day, to: now });
    expect(spanAround(now - 3 * day, kept, now, now - 2 * day)).toEqual({ from: now - 3 * day, to: now });
  });

  it("moves by whole minutes", () => {
    expect(stepOf({ from: now - 3_600_000, to: now })).toBe(60_000);
    expect(stepOf({ from: now - day, to: now })).toBe(300_000);
  });

  it("never leaves what is kept", () => {
    expect(withinKept(now + day, now)).toBe(now - 1000);
    expect(withinKept(now - 60 * day, now)).toBe(now - kept + 60_000);
    expect(withinKept(now - day + 1, now)).toBe(now - day);
  });
});

it("takes the nearest change of all modules", () => {
  expect(nearest([{ earlier: 5, earliest: 1 }, { earlier: 7, later: 20 }, { later: 12 }])).toEqual({
    earliest: 1,
    earlier: 7,
    later: 12,
  });
  expect(nearest([])).toEqual({ earliest: undefined, earlier: undefined, later: undefined });
});
