import { screen, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { Problem } from "@/api/problem";
import type { ViewState } from "@/components/state/states";
import { renderApp } from "@/testing/render-app";
import { AgentsView } from "./agents-view";
import type { Rings, Rollout } from "./api";

const quiet = { run: () => undefined, busy: false, error: null };
const at = "2026-03-11T12:00:00Z";

function makeRings(change: Partial<Rings> = {}): Rings {
  return {
    rings: [
      { ring: 1, size: 1, unit: "nodes", nodes: 1, members: [{ id: "n1", name: "waw-01" }] },
      {
        ring: 2,
        size: 100,
        unit: "percent",
        nodes: 4,
        members: ["a", "b", "c", "d"].map((name) => ({ id: name, name })),
      },
    ],
    first_nodes: [],
    first: [],
    pause_seconds: 60,
    parallel: 10,
    revision: 1,
    build: {
      version: "1.5.0",
      channel: "stable",
      released_at: at,
      notes: "",
      breaking: false,
      platforms: ["linux/amd64"],
    },
    build_problem: "",
    versions: [{ version: "1.4.0", nodes: 5 }],
    behind: 5,
    active: null,
    ...change,
  };
}

function makeRollout(change: Partial<Rollout> = {}): Rollout {
  return {
    id: "01890000-0000-7000-8000-0000000000a1",
    kind: "rings",
    version: "1.5.0",
    state: "running",
    ring: 1,
    through: 2,
    detail: "",
    pause_seconds: 60,
    rest_until: null,
    stopping: false,
    started_by: "anna",
    stopped_by: "",
    started_at: at,
    finished_at: null,
    counts: { updating: 1, waiting: 4 },
    rings: [{ ring: 1, total: 1, counts: { updating: 1 } }],
    nodes: [],
    ...change,
  };
}

function view(
  state: ViewState<Rings>,
  {
    rollout,
    block,
    onStart = () => undefined,
    retry = quiet,
  }: { rollout?: Rollout; block?: string; onStart?: (ring: number) => void; retry?: typeof quiet } = {},
) {
  return (
    <AgentsView
      state={state}
      rollouts={rollout ? [rollout] : []}
      rollout={rollout}
      block={block}
      onShow={() => undefined}
      onStart={onStart}
      onRings={() => undefined}
      stop={quiet}
      retry={retry}
    />
  );
}

describe("agents on the screen of updates", () => {
  it("says that it loads, and shows the code of a refusal", async () => {
    await renderApp(view({ kind: "loading" }));
    expect(await screen.findByRole("status", { name: "Loading" })).toBeInTheDocument();
    await renderApp(
      view({
        kind: "error",
        error: new Problem({ status: 503, code: "unavailable", request_id: "r-1" }),
        retry: () => undefined,
      }),
    );
    expect(await screen.findByText("unavailable · r-1")).toBeInTheDocument();
  });

  it("starts a rollout up to the ring that was chosen", async () => {
    const onStart = vi.fn();
    await renderApp(view({ kind: "ready", data: makeRings() }, { onStart }));
    (await screen.findByRole("button", { name: "Through ring 2" })).click();
    expect(onStart).toHaveBeenCalledWith(2);
  });

  it("closes the start while a rollout goes on, and when nothing is behind", async () => {
    await renderApp(view({ kind: "ready", data: makeRings({ active: makeRollout() }) }));
    expect(await screen.findByRole("button", { name: /^Ring 1 only/ })).toHaveAccessibleDescription(
      "A rollout is running",
    );
    expect(screen.getByRole("button", { name: "Stop the rollout" })).toBeInTheDocument();
  });

  it("says why there is no build", async () => {
    await renderApp(view({ kind: "ready", data: makeRings({ build: null, build_problem: "no_key" }) }));
    expect(await screen.findByText(/PANEL_UPDATE_PUBLIC_KEY/)).toBeInTheDocument();
  });

  it("shows where a node failed, its last words, and tries it again", async () => {
    const retry = { ...quiet, run: vi.fn() };
    const failed = {
      node_id: "n1",
      name: "waw-01",
      ring: 1,
      state: "failed" as const,
      from: "1.4.0",
      stage: "heartbeat",
      error: "no heartbeat within 120 s",
      tail: "cannot go on",
      ordered_at: at,
      ended_at: at,
    };
    await renderApp(
      view(
        { kind: "ready", data: makeRings() },
        { rollout: makeRollout({ state: "failed", counts: { failed: 1 }, nodes: [failed] }), retry },
      ),
    );
    const nodes = within(await screen.findByRole("list", { name: "Nodes of the rollout" }));
    expect(nodes.getByText("First heartbeat:")).toBeInTheDocument();
    expect(nodes.getByText("cannot go on")).toBeInTheDocument();
    nodes.getByRole("button", { name: "Try again" }).click();
    expect(retry.run).toHaveBeenCalledWith("n1");
  });
});
