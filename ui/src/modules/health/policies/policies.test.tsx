import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { renderApp } from "@/testing/render-app";
import { asksBeforeItCloses, renderDialog } from "@/testing/typed-text";
import { makePolicy, makeSubject, pageOf, serve } from "../testing";
import PoliciesPage from "./policies-page";
import { PolicyDialog } from "./policy-dialog";
import { entryOf, errorUnder, sentOf } from "./policy-form";
import { secondsToDown } from "./policy-text";

const edge = makePolicy({
  id: "01890000-0000-7000-8000-0000000000a2",
  name: "Edge",
  default: false,
  scope: { kind: "tag", tag: "edge" },
  maintenance_windows: [{ weekdays: ["sun"], start: "03:30", minutes: 90, zone: "Europe/Berlin", note: "backups" }],
  nodes: 1,
  connection_units: 0,
});

describe("policies", () => {
  it("say in sentences what they mean and whom they speak of", async () => {
    const { queries } = serve({ "GET /policies": pageOf(makePolicy(), edge) });
    await renderApp(<PoliciesPage />, { queries });
    const card = within(await screen.findByRole("region", { name: "Everything else" }));
    expect(
      card.getByText(
        /^Checked by the panel and 3 other nodes\. Down when 2 places see 3 failures in a row and none sees it well/,
      ),
    ).toHaveTextContent(
      "After the first failure there are 3 quick checks, one every 5 s. Up again after 2 good checks. An outage is noticed within 55 s.",
    );
    expect(card.getByText("Counts for 12 nodes and 5 flows now")).toBeInTheDocument();
    expect(card.queryByRole("button", { name: /Remove/ })).toBeNull();
    const own = within(screen.getByRole("region", { name: "Edge" }));
    expect(own.getByText("nodes with the tag edge and their flows")).toBeInTheDocument();
    expect(own.getByText("Sun at 03:30 for 1 h 30 min (Europe/Berlin): backups")).toBeInTheDocument();
  });

  it("stand with the one of everything else at the end", async () => {
    const { queries } = serve({ "GET /policies": pageOf(makePolicy(), edge) });
    await renderApp(<PoliciesPage />, { queries });
    await screen.findByRole("region", { name: "Edge" });
    const names = screen.getAllByRole("region").map((card) => card.getAttribute("aria-label"));
    expect(names.filter((name) => name?.startsWith("E"))).toEqual(["Edge", "Everything else"]);
  });

  it("are removed after a question", async () => {
    const { queries, written } = serve({
      "GET /policies": pageOf(makePolicy(), edge),
      [`DELETE /policies/${edge.id}`]: { status: 204 },
    });
    await renderApp(<PoliciesPage />, { queries });
    await userEvent.click(await screen.findByRole("button", { name: "Remove Edge…" }));
    await userEvent.click(await screen.findByRole("button", { name: "Remove" }));
    await waitFor(() =>
      expect(written()).toEqual([{ method: "DELETE", path: `/policies/${edge.id}`, body: undefined }]),
    );
  });
});

describe("the form of a policy", () => {
  it("begins a new one like the one of everything else, and says at once what it means", async () => {
    const { queries, written } = serve({ "POST /policies": { status: 201, body: edge } });
    const onClose = vi.fn();
    await renderDialog(<PolicyDialog like={makePolicy({ quorum: 3 })} onClose={onClose} />, { queries });
    const means = within(await screen.findByRole("region", { name: "What this means" }));
    expect(means.getByText(/Down when 3 places see 3 failures in a row/)).toBeInTheDocument();
    await userEvent.type(screen.getByRole("textbox", { name: "Name" }), "Edge");
    await userEvent.type(screen.getByRole("textbox", { name: "Tag" }), "edge");
    const quorum = screen.getByRole("textbox", { name: "Places that must agree" });
    await userEvent.clear(quorum);
    await userEvent.type(quorum, "1");
    expect(means.getByText(/Down when 1 place sees 3 failures in a row/)).toBeInTheDocument();
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(onClose).toHaveBeenCalled());
    expect(written()[0]).toMatchObject({
      path: "/policies",
      body: { name: "Edge", scope: { kind: "tag", tag: "edge" }, quorum: 1, vantages: { panel: true, agents: 3 } },
    });
  });

  it("changes the one of everything else without its scope, from the revision that was read", async () => {
    const { queries, written } = serve({ [`PATCH /policies/${makePolicy().id}`]: { body: makePolicy() } });
    await renderDialog(<PolicyDialog policy={makePolicy()} onClose={vi.fn()} />, { queries });
    await userEvent.click(await screen.findByRole("checkbox", { name: "The panel" }));
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(written()).toHaveLength(1));
    const { body } = written()[0] as { body: Record<string, unknown> };
    expect(body).toMatchObject({ revision: 4, vantages: { panel: false, agents: 3 } });
    expect(body).not.toHaveProperty("scope");
    expect(body).not.toHaveProperty("enabled");
  });

  it("shows a refusal at its field", async () => {
    const { queries } = serve({
      "GET /nodes": pageOf(makeSubject()),
      "POST /policies": {
        status: 422,
        body: {
          status: 422,
          code: "invalid_value",
          errors: [{ field: "checks[3].page", code: "invalid_value", message: "no public address" }],
        },
      },
    });
    await renderDialog(<PolicyDialog like={makePolicy()} onClose={vi.fn()} />, { queries });
    await userEvent.type(await screen.findByRole("textbox", { name: "Name" }), "Web");
    await userEvent.click(screen.getByRole("combobox", { name: "Add a check" }));
    await userEvent.click(await screen.findByRole("option", { name: "Web from the node" }));
    const check = within(screen.getByRole("group", { name: "Web from the node" }));
    await userEvent.type(check.getByRole("textbox", { name: "URL that nodes must reach" }), "https://10.0.0.1");
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    expect(await check.findByText("no public address")).toBeInTheDocument();
  });

  it("speaks of the members of a pool, and of each figure of a node once", async () => {
    const { queries, written } = serve({
      "GET /api/v1/transit-pools": { body: { items: [{ id: "p1", name: "Exits" }], total: 1 } },
      "POST /policies": { status: 201, body: edge },
    });
    await renderDialog(<PolicyDialog like={makePolicy()} onClose={vi.fn()} />, { queries });
    await userEvent.type(await screen.findByRole("textbox", { name: "Name" }), "Exits");
    await userEvent.click(screen.getByRole("combobox", { name: "Counts for" }));
    await userEvent.click(await screen.findByRole("option", { name: "Pool" }));
    await userEvent.click(screen.getByRole("combobox", { name: "Pool" }));
    await userEvent.click(await screen.findByRole("option", { name: "Exits" }));
    for (let i = 0; i < 2; i++) {
      await userEvent.click(screen.getByRole("combobox", { name: "Add a check" }));
      await userEvent.click(await screen.findByRole("option", { name: "Load of the node" }));
    }
    const checks = screen.getAllByRole("group", { name: "Load of the node" });
    const figures = checks.map((one) => within(one).getByRole("combobox").getAttribute("value"));
    expect(figures).toEqual(["Processor", "Memory"]);
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(written()).toHaveLength(1));
    const { scope, checks: sent } = written()[0]?.body as { scope: unknown; checks: unknown[] };
    expect(scope).toEqual({ kind: "pool", id: "p1" });
    expect(sent.slice(-2)).toEqual([
      { type: "metric", metric: "cpu" },
      { type: "metric", metric: "memory" },
    ]);
  });

  it("asks before what was typed is lost", async () => {
    const closed = vi.fn();
    const { queries } = serve({});
    await renderDialog(<PolicyDialog like={makePolicy()} onClose={closed} />, { queries });
    await userEvent.type(await screen.findByRole("textbox", { name: "Name" }), "Edge");
    await asksBeforeItCloses(closed);
  });
});

describe("what a form sends", () => {
  it("leaves out what is empty", () => {
    const entry = entryOf(undefined, undefined);
    const sent = sentOf({
      ...entry,
      name: " Edge ",
      scope: { kind: "node", id: "n1", tag: "left over" },
      vantages: { panel: true, agents: 2, tag: " " },
      checks: [{ type: "http", page: "" }],
      maintenance_windows: [{ weekdays: ["sun"], start: "03:30", minutes: 60, zone: "", note: "" }],
    });
    expect(sent).toMatchObject({ name: "Edge", scope: { kind: "node", id: "n1" } });
    expect(sent.scope).not.toHaveProperty("tag");
    expect(sent.vantages).toEqual({ panel: true, agents: 2 });
    expect(sent.checks).toEqual([{ type: "http" }]);
    expect(sent.maintenance_windows).toEqual([{ weekdays: ["sun"], start: "03:30", minutes: 60 }]);
  });

  it("finds the refusal of a part at its field", () => {
    expect(errorUnder({ "scope.id": "there is no such node" }, "scope")).toBe("there is no such node");
    expect(errorUnder({ scoped: "other" }, "scope")).toBeUndefined();
  });
});

// First failure within interval and timeout, then count looks of every and timeout each.
it("an outage is noticed within the interval and the quick checks behind it", () => {
  const policy = makePolicy();
  expect(secondsToDown(policy)).toBe(30 + 5 + 2 * (5 + 5));
  expect(secondsToDown({ ...policy, recheck: { count: 0, every_s: 5 } })).toBe(3 * 35);
  expect(secondsToDown({ ...policy, checks: [{ type: "heartbeat" }] })).toBeUndefined();
  expect(secondsToDown({ ...policy, checks: [...policy.checks, { type: "tunnel" }] })).toBe(secondsToDown(policy));
  const warnings = [{ type: "metric" as const, interval_s: 3_600 }, { type: "cert_expiry" as const }];
  expect(secondsToDown({ ...policy, checks: [...policy.checks, ...warnings] })).toBe(secondsToDown(policy));
});
