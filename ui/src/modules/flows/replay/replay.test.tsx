import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { renderApp } from "@/testing/render-app";
import ApplyPage from "../apply/apply-page";
import type { Apply, Replay } from "../shared/api";
import { fakeState } from "../testing/fake-panel";
import { fakeApply, fakeEndedApply, fakeReplay } from "../testing/samples";
import { serveFake } from "../testing/serve-fake";
import { applyAt, canReplay, lengthOf, momentsOf, nodeDoing } from "./apply-at";
import { sessionsOf, storyOf } from "./sessions";

// There is no canvas here; what the chart draws is looked at in a browser.
vi.mock("@/components/chart/chart-plot", () => ({
  makePlot: () => ({ setData: vi.fn(), setSize: vi.fn(), redraw: vi.fn(), destroy: vi.fn() }),
}));

const states = (apply: Apply) => apply.steps.map((step) => step.stages.map((stage) => stage.state));

describe("an apply at a moment", () => {
  const apply = fakeEndedApply();

  it("has begun with nothing done", () => {
    const begun = applyAt(apply, 0);
    expect(begun.state).toBe("applying");
    expect(new Set(states(begun).flat())).toEqual(new Set(["pending"]));
    expect(begun.error).toBeNull();
  });

  it("shows a stage as running between its begin and its end", () => {
    const now = applyAt(apply, 6);
    expect(now.steps[0]!.stages.map((stage) => stage.state)).toEqual([
      "done",
      "done",
      "running",
      "pending",
      "pending",
      "pending",
    ]);
    expect(now.steps[0]!.stages[2]).toMatchObject({ detail: "", finished_at: null });
    expect(now.steps.map(nodeDoing)).toEqual(["works", "waits", "waits"]);
  });

  it("keeps a failure to itself until it has happened, then tells it while others go back", () => {
    expect(applyAt(apply, 16.9).steps[1]!.error).toBeNull();
    const failed = applyAt(apply, 17);
    expect(failed.steps.map(nodeDoing)).toEqual(["switched", "failed", "waits"]);
    expect(failed.phase).toBe("switching");
    expect(applyAt(apply, 19)).toMatchObject({ state: "applying", phase: "reverting", error: null });
    expect(applyAt(apply, 22).steps.map(nodeDoing)).toEqual(["reverted", "failed", "waits"]);
  });

  it("is at its end what it became", () => {
    expect(applyAt(apply, lengthOf(apply))).toBe(apply);
    expect(applyAt(apply, 999)).toBe(apply);
  });

  it("never takes back what was done, whatever the moment", () => {
    const rank = { pending: 0, running: 1, failed: 2, done: 2, skipped: 2 };
    const seconds = Array.from({ length: 250 }, (_, tenth) => tenth / 10);
    seconds.reduce(
      (before, second) => {
        const now = states(applyAt(apply, second)).flat();
        now.forEach((state, index) => expect(rank[state]).toBeGreaterThanOrEqual(rank[before[index]!]));
        return now;
      },
      states(applyAt(apply, 0)).flat(),
    );
  });

  it("has its moments in order, each once", () => {
    const moments = momentsOf(apply);
    expect(moments).toEqual([...new Set(moments)].sort((a, b) => a - b));
    expect(moments[0]).toBe(1);
    expect(moments.at(-1)).toBe(22);
  });

  it("cannot be shown again while it runs", () => {
    expect(canReplay(fakeApply())).toBe(false);
    expect(canReplay(fakeApply({ finished_at: fakeApply().started_at }))).toBe(false);
    expect(canReplay(apply)).toBe(true);
  });
});

describe("sessions around an apply", () => {
  const apply = fakeEndedApply();
  const since = (second: number) => Date.parse(apply.started_at) / 1000 + second;
  const course = (...open: [number, number][]): Replay => {
    const sessions = open.map(([second, value]) => ({ at: new Date(since(second) * 1000).toISOString(), value }));
    return fakeReplay({ nodes: [{ node_id: "n-msk", sessions }] });
  };

  it("tell what was there before, the least since, and when they were back", () => {
    expect(storyOf(apply, fakeReplay())).toEqual({
      kind: "returned",
      before: 412,
      least: 38,
      at: since(15),
      again: since(45),
      back: 396,
    });
  });

  it("held where they lost less than a tenth", () => {
    expect(storyOf(apply, course([-30, 100], [15, 91], [30, 99]))).toEqual({ kind: "held", before: 100, least: 91 });
  });

  it("fell where they did not come back", () => {
    expect(storyOf(apply, course([-30, 100], [15, 2], [30, 60]))).toMatchObject({ kind: "fell", least: 2 });
  });

  it("are unknown where nobody counted before or since, or on the entry", () => {
    expect(storyOf(apply, course([15, 2])).kind).toBe("unknown");
    expect(storyOf(apply, course([-30, 2])).kind).toBe("unknown");
    const exit = fakeReplay({ nodes: fakeReplay().nodes.map((node) => ({ ...node, node_id: "n-fra" })) });
    expect(storyOf(apply, exit).kind).toBe("unknown");
  });

  it("are drawn with the entry first, and a gap where nobody measured", () => {
    const [node] = fakeReplay().nodes;
    const replay = fakeReplay({ nodes: [{ ...node!, node_id: "n-fra" }, node!] });
    const { times, lines } = sessionsOf(apply, replay);
    expect(lines.map(({ name }) => name)).toEqual(["msk-01", "fra-02"]);
    expect(lines[0]!.values).toHaveLength(times.length);
    expect(lines[0]!.values.filter((value) => value !== null)).toEqual([398, 412, 405, 38, 240, 396]);
  });
});

async function open(path: string) {
  const panel = serveFake(fakeState({ apply: fakeEndedApply() }));
  const page = await renderApp(<ApplyPage />, {
    path,
    route: "/flows/$id/applies/$applyId",
    queries: panel.queries,
  });
  await screen.findByRole("table", { name: "Steps by node" });
  return page;
}

const page = "/flows/f-europe/applies/a-1";

describe("the replay", () => {
  it("opens at the moment of a link that was handed on", async () => {
    await open(`${page}?at=19`);
    const bar = within(screen.getByRole("group", { name: "Replay" }));
    expect(bar.getByRole("slider", { name: "Moment of the apply" })).toHaveValue("19");
    expect(bar.getByRole("button", { name: "Play" })).toBeInTheDocument();
    const map = await screen.findByRole("region", { name: "Drawing at this moment" });
    await waitFor(() =>
      expect(within(map).getByRole("img")).toHaveAccessibleName(
        "Moscow entry: waits; Mobile entry: waits; Baltic transit: failed; fra-02: in progress",
      ),
    );
    expect(screen.getByText(/Sessions on the entry: 412 before, 38 at .*, 396 again at/)).toBeInTheDocument();
  });

  it("goes from change to change, keeps the moment in the address, and is closed to how it ended", async () => {
    const { address } = await open(`${page}?at=12`);
    const bar = within(screen.getByRole("group", { name: "Replay" }));
    await userEvent.click(bar.getByRole("button", { name: "Next change" }));
    await waitFor(() => expect(address()).toBe(`${page}?at=17`));
    await userEvent.click(bar.getByRole("button", { name: "Previous change" }));
    await waitFor(() => expect(address()).toBe(`${page}?at=12`));
    await userEvent.click(bar.getByRole("button", { name: "Close replay" }));
    await waitFor(() => expect(address()).toBe(page));
    expect(screen.queryByRole("group", { name: "Replay" })).not.toBeInTheDocument();
  });

  it("plays from its beginning and stops where it is told to", async () => {
    const { address } = await open(page);
    await userEvent.click(screen.getByRole("button", { name: "Replay" }));
    await waitFor(() => expect(address()).toBe(`${page}?at=0`));
    const moment = screen.getByRole("slider", { name: "Moment of the apply" });
    await waitFor(() => expect(Number(moment.getAttribute("value"))).toBeGreaterThan(0.2));
    await userEvent.click(screen.getByRole("button", { name: "Pause" }));
    await waitFor(() => expect(address()).toMatch(/\?at=0?[1-9.]/));
  });
});
