import { screen, within } from "@testing-library/react";
import user from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { api } from "@/api/client";
import type { AttentionItem, OverviewPart } from "@/module";
import { renderApp } from "@/testing/render-app";
import { lastApplied, recentJobs, recentWork, type Applied, type Job } from "./api";
import { OverviewView } from "./overview-view";

const shown = { parts: [], attention: [], steps: [], setupOpen: false };

beforeEach(() => {
  const answered = { data: { items: [] }, response: new Response(null, { status: 200 }) };
  vi.spyOn(api, "GET").mockResolvedValue(answered as never);
});
afterEach(() => vi.restoreAllMocks());

const item = (index: number, change: Partial<AttentionItem> = {}): AttentionItem => ({
  id: `item-${index}`,
  severity: "crit",
  glyph: "down",
  name: `cause ${index}`,
  what: "lost contact",
  act: { label: "Show nodes", path: "/nodes", search: { state: "offline" } },
  ...change,
});

it("does not say that all is well to an account that cannot see nodes and flows", async () => {
  await renderApp(<OverviewView {...shown} unseen={["Nodes", "Flows"]} />);
  expect(await screen.findByText(/^You cannot see this: Nodes, Flows/)).toBeInTheDocument();
  expect(screen.queryByText(/Nothing needs you/)).not.toBeInTheDocument();
});

it("says that all is well where everything can be seen", async () => {
  await renderApp(<OverviewView {...shown} unseen={[]} />);
  expect(await screen.findByText(/Nothing needs you/)).toBeInTheDocument();
});

it("keeps the steps that are done in sight until a single one is left", async () => {
  const step = (order: number, done: boolean) => ({
    order,
    title: `Step ${order}`,
    text: "",
    act: `Do ${order}`,
    path: `/step-${order}`,
    done,
  });
  const begun = [step(1, true), step(2, false), step(3, false)];
  const first = await renderApp(<OverviewView {...shown} steps={begun} unseen={[]} />);
  expect(await screen.findByText("Step 1")).toBeInTheDocument();
  first.unmount();
  await renderApp(<OverviewView {...shown} steps={[step(1, true), step(2, true), step(3, false)]} unseen={[]} />);
  expect(await screen.findByRole("link", { name: "Do 3" })).toBeInTheDocument();
  expect(screen.getByText("2 of 3")).toBeInTheDocument();
  expect(screen.queryByText("Step 1")).not.toBeInTheDocument();
});

describe("what needs attention", () => {
  it("counts objects, not lines, and leads to all of them", async () => {
    await renderApp(<OverviewView {...shown} attention={[item(1, { count: 34 }), item(2)]} unseen={[]} />);
    const card = await screen.findByRole("region", { name: "Needs attention" });
    expect(within(card).getByText("35")).toBeInTheDocument();
    const [link] = within(card).getAllByRole("link", { name: "Show nodes" });
    expect(link).toHaveAttribute("href", "/nodes?state=offline");
  });

  it("never leaves lines out without saying how much that is", async () => {
    const many = Array.from({ length: 11 }, (_, index) => item(index, { count: 10 }));
    await renderApp(<OverviewView {...shown} attention={many} unseen={[]} />);
    const card = await screen.findByRole("region", { name: "Needs attention" });
    expect(within(card).queryByText("cause 10")).not.toBeInTheDocument();
    await user.click(within(card).getByRole("button", { name: "Show 30 more" }));
    expect(within(card).getByText("cause 10")).toBeInTheDocument();
  });
});

it("says how many lines about the same are left out", async () => {
  await renderApp(<OverviewView {...shown} attention={[{ ...item(1), covered: 2 }, item(2)]} unseen={[]} />);
  expect(await screen.findAllByText("2 lines about the same are left out")).toHaveLength(1);
});

it("gives the place of health to the module that has it", async () => {
  const nodes: OverviewPart = { Fallback: () => <p>states from the journal</p> };
  const health: OverviewPart = { Health: () => <p>health history</p> };
  const first = await renderApp(<OverviewView {...shown} parts={[{ name: "nodes", part: nodes }]} unseen={[]} />);
  expect(await screen.findByText("states from the journal")).toBeInTheDocument();
  first.unmount();
  const both = [
    { name: "nodes", part: nodes },
    { name: "health", part: health },
  ];
  await renderApp(<OverviewView {...shown} parts={both} unseen={[]} />);
  expect(await screen.findByText("health history")).toBeInTheDocument();
  expect(screen.queryByText("states from the journal")).not.toBeInTheDocument();
});

it("shows work that goes on before what has ended, and nothing of yesterday", () => {
  const now = Date.parse("2026-03-11T12:00:00Z");
  const job = (id: string, finished_at: string | null) => ({ id, finished_at }) as Job;
  const jobs = [job("old", "2026-03-10T12:00:00Z"), job("done", "2026-03-11T11:50:00Z"), job("going", null)];
  expect(recentJobs(jobs, now).map(({ id }) => id)).toEqual(["going", "done"]);
});

it("shows what was installed last first, and no flow that never was", () => {
  const flow = (id: string, at: string | null) => ({ id, at, last_apply_id: null }) as Applied;
  const flows = [flow("older", "2026-03-10T12:00:00Z"), flow("draft", null), flow("newer", "2026-03-11T12:00:00Z")];
  expect(lastApplied(flows).map(({ id }) => id)).toEqual(["newer", "older"]);
});

it("tells jobs and installations in one order: what goes on, then what ended last", () => {
  const job = (id: string, finished_at: string | null) => ({ id, finished_at }) as Job;
  const flow = (id: string, at: string | null, state = "applied") => ({ id, at, state, last_apply_id: "a" }) as Applied;
  const jobs = [job("going", null), job("backup", "2026-03-11T11:50:00Z")];
  const flows = [
    flow("newer", "2026-03-11T11:55:00Z"),
    flow("failed", null, "apply_failed"),
    flow("older", "2026-03-11T11:40:00Z"),
    flow("being installed", "2026-03-01T00:00:00Z", "applying"),
  ];
  const order = recentWork(jobs, flows).map(({ id }) => id);
  expect(order).toEqual(["going", "being installed", "newer", "backup", "older", "failed"]);
  const many = Array.from({ length: 9 }, (_, at) => flow(`f${at}`, `2026-03-11T10:0${at}:00Z`));
  expect(recentWork(jobs, many)).toHaveLength(6);
});
