import { screen, waitFor, within } from "@testing-library/react";
import user from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { api } from "@/api/client";
import { leave } from "@/components/form/leave";
import { renderApp } from "@/testing/render-app";
import { serveUnder } from "@/testing/serve";
import { DrainDialog, OverrideDialog } from "./member-acts";
import { PoolDialog } from "./pool-dialog";
import { bodyOf, changesShape, entryOf } from "./pool-form";
import PoolsPage from "./pools-page";
import { PoolView } from "./pool-view";
import { PoolsView } from "./pools-view";
import { europe, summary } from "./testing";

const answers = (body: object) => ({ response: new Response(null, { status: 200 }), data: body }) as never;

describe("pools", () => {
  afterEach(() => vi.restoreAllMocks());

  it("are listed with how many members are down", async () => {
    const view = (
      <PoolsView
        state={{ kind: "ready", data: { items: [summary], total: 1 } }}
        sorting={{ value: "name", onChange: vi.fn() }}
        more={undefined}
        onAdd={undefined}
      />
    );
    await renderApp(view);
    const row = within((await screen.findByText("Europe")).closest("tr")!);
    expect(row.getByText("2, 1 down")).toBeInTheDocument();
    expect(row.getByText("Degraded")).toBeInTheDocument();
  });

  it("show their members, the last switch and why, and who uses them", async () => {
    const onAct = vi.fn();
    const block = { edit: undefined, apply: undefined };
    const view = (
      <PoolView
        pool={{
          ...europe,
          members: europe.members.map((member, at) => (at === 0 ? { ...member, withdrawn: true } : member)),
        }}
        status={{
          pool_id: europe.id,
          state: "degraded",
          min_healthy: 1,
          override: null as never,
          members: europe.members,
          nodes: [],
          seen: [],
          switches: [europe.last_switch!],
        }}
        block={block}
        onEdit={vi.fn()}
        onRemove={vi.fn()}
        onAct={onAct}
      />
    );
    await renderApp(view);
    expect(await screen.findByText(/Last switch: a member went down/)).toBeInTheDocument();
    expect(screen.getByText("kept out")).toBeInTheDocument();
    expect(screen.getByText("withdrawn by self-repair")).toBeInTheDocument();
    expect(screen.getByText("Down", { exact: true })).toBeInTheDocument();
    const down = within(screen.getByText("Down", { exact: true }).closest("li")!);
    expect(down.getByText("connections to it are refused")).toBeInTheDocument();
    expect(screen.getByText("42 ms")).toBeInTheDocument();
    const healthy = within(screen.getByText("42 ms").closest("li")!);
    expect(healthy.getByText("Healthy"), "what agents found counts").toBeInTheDocument();
    expect(healthy.getByText(/Health checks see it down/)).toBeInTheDocument();
    expect(screen.getByText("On fra-01 1 member carries the traffic")).toBeInTheDocument();
    expect(screen.getByRole("link", { name: "Main" })).toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: "Actions for waw-01" }));
    await user.click(await screen.findByRole("menuitem", { name: "Drain…" }));
    expect(onAct).toHaveBeenCalledWith("drain", europe.members[1]);
  });

  it("ask for the name of the last usable member before it is drained", async () => {
    const post = vi.spyOn(api, "POST").mockResolvedValue(answers(europe));
    await renderApp(<DrainDialog pool={europe} member={europe.members[1]!} onClose={vi.fn()} />);
    expect(await screen.findByText(/last usable member/)).toBeInTheDocument();
    await user.type(screen.getByRole("textbox"), "waw-01");
    await user.click(screen.getByRole("button", { name: "Drain" }));
    await waitFor(() => expect(post).toHaveBeenCalledTimes(1));
    expect((post.mock.calls as unknown as [string, object][])[0]![1]).toMatchObject({ body: { drain: true } });
  });

  it("lead all traffic to a member for some hours", async () => {
    const post = vi.spyOn(api, "POST").mockResolvedValue(answers(europe));
    await renderApp(<OverrideDialog pool={europe} member={europe.members[1]!} onClose={vi.fn()} />);
    await user.click(await screen.findByRole("button", { name: "Lead here" }));
    await waitFor(() => expect(post).toHaveBeenCalledTimes(1));
    expect((post.mock.calls as unknown as [string, object][])[0]![1]).toMatchObject({
      body: { member_id: europe.members[1]!.id, ttl_s: 3600 },
    });
  });

  it("say before they are saved which flows are installed anew", async () => {
    const patch = vi.spyOn(api, "PATCH").mockResolvedValue(answers(europe));
    vi.spyOn(api, "GET").mockResolvedValue(answers({ items: [], total: 0 }));
    await renderApp(<PoolDialog pool={europe} onClose={vi.fn()} />);
    expect(await screen.findByLabelText("Name")).toHaveValue("Europe");
    expect(screen.queryByRole("note")).not.toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: "Remove ams-01" }));
    expect(screen.getByRole("note")).toHaveTextContent("Main");
    await user.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(patch).toHaveBeenCalledTimes(1));
    expect((patch.mock.calls as unknown as [string, object][])[0]![1]).toMatchObject({
      body: { revision: 3, members: [{ node_id: europe.members[1]!.node_id, weight: 5 }] },
    });
  });
});

describe("a pool that was made", () => {
  afterEach(() => vi.restoreAllMocks());

  it("is opened without asking whether what was typed may be lost", async () => {
    const none = { body: { items: [], total: 0, next_cursor: null } };
    const { queries } = serveUnder("/api/v1")({
      "GET /transit-pools": none,
      "GET /nodes": none,
      "GET /connection-units": none,
      "POST /transit-pools": { status: 201, body: { ...europe, id: "p-2", name: "Asia" } },
    });
    const { address } = await renderApp(<PoolsPage />, { path: "/pools", route: "/pools", queries });
    await user.click((await screen.findAllByRole("button", { name: "New pool" }))[0]!);
    await user.type(await screen.findByRole("textbox", { name: "Name" }), "Asia");
    await user.click(screen.getByRole("button", { name: "Create pool" }));
    await waitFor(() => expect(address()).toBe("/pools/p-2"));
    expect(leave.getState().answer, "no question is open").toBeUndefined();
  });
});

it("a pool is made with the key that makes new things on every list", async () => {
  const { queries } = serveUnder("/api/v1")({
    "GET /transit-pools": { body: { items: [summary], total: 1, next_cursor: null } },
  });
  await renderApp(<PoolsPage />, { path: "/pools", route: "/pools", queries });
  await screen.findByText("Europe");
  await user.keyboard("c");
  expect(await screen.findByRole("dialog", { name: "New transit pool" })).toBeInTheDocument();
});

describe("a pool of flows", () => {
  afterEach(() => vi.restoreAllMocks());

  const flow = { id: "01890000-0000-7000-8000-000000000051", name: "Backup way" };

  it("offers flows beside nodes, and sends which is which", async () => {
    const patch = vi.spyOn(api, "PATCH").mockResolvedValue(answers(europe));
    vi.spyOn(api, "GET").mockImplementation(((path: string) =>
      Promise.resolve(answers({ items: path === "/api/v1/connection-units" ? [flow] : [], total: 1 }))) as never);
    await renderApp(<PoolDialog pool={europe} onClose={vi.fn()} />);
    await user.click(await screen.findByPlaceholderText("Type a part of its name"));
    await user.click(await screen.findByRole("option", { name: "Backup way" }));
    expect(screen.getByRole("note")).toHaveTextContent("Main");
    await user.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(patch).toHaveBeenCalledTimes(1));
    const body = (patch.mock.calls as unknown as [string, { body: { members: object[] } }][])[0]![1].body;
    expect(body.members[2]).toEqual({ flow_id: flow.id, weight: 1, priority: 0, enabled: true, drain: false });
  });

  it("leads from a member to its flow", async () => {
    const member = { ...europe.members[0]!, name: flow.name, node_id: "", node_name: "", flow_id: flow.id };
    await renderApp(
      <PoolView
        pool={{ ...europe, members: [member] }}
        status={undefined}
        block={{ edit: undefined, apply: undefined }}
        onEdit={vi.fn()}
        onRemove={vi.fn()}
        onAct={vi.fn()}
      />,
    );
    expect(await screen.findByRole("link", { name: flow.name })).toHaveAttribute("href", `/flows/${flow.id}`);
    expect(screen.getByText("flow")).toBeInTheDocument();
  });

  it("falls back on a flow by its id as a flow", () => {
    const entry = entryOf(europe);
    const members = [...entry.members, { ...entry.members[0]!, id: flow.id, kind: "flow" as const, name: flow.name }];
    expect(bodyOf({ ...entry, members, fallback: "member", fallbackMember: flow.id }, 3).fallback).toEqual({
      kind: "member",
      flow_id: flow.id,
    });
  });
});

describe("what a form sends", () => {
  it("is what the pool has", () => {
    const entry = entryOf(europe);
    expect(bodyOf(entry, 3)).toMatchObject({
      name: "Europe",
      strategy: "round_robin",
      stickiness: "none",
      fallback: { kind: "block" },
      health: europe.health,
    });
  });

  it("installs flows anew only for what configurations hold", () => {
    const entry = entryOf(europe);
    const weighed = { ...entry, members: entry.members.map((one) => ({ ...one, weight: 9, drain: true })) };
    expect(changesShape(europe, { ...weighed, name: "Asia", interval: 60 })).toBe(false);
    expect(changesShape(europe, { ...entry, strategy: "random" })).toBe(true);
    expect(changesShape(europe, { ...entry, fallback: "direct" })).toBe(true);
    expect(changesShape(europe, { ...entry, members: entry.members.slice(1) })).toBe(true);
  });
});
