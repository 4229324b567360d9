import { screen, waitFor, within } from "@testing-library/react";
import user from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { api } from "@/api/client";
import { renderApp } from "@/testing/render-app";
import type { Client } from "../api";
import { answers, client, flowNames } from "../testing";
import { ClientActDialog } from "./client-act-dialog";
import { whyLeft, type ClientAct } from "./effects";
import { runAct } from "./run";

const some = (count: number): Client[] =>
  Array.from({ length: count }, (_, at) => ({ ...client, id: `c-${at}`, label: `client ${at}` }));

const allDone = (_: unknown, { body }: { body: { ids: string[] } }) =>
  Promise.resolve(answers({ results: body.ids.map((client_id) => ({ client_id, ok: true })) }));

async function open(act: ClientAct, clients: readonly Client[]) {
  vi.spyOn(api, "GET").mockResolvedValue(answers(flowNames));
  const post = vi.spyOn(api, "POST").mockImplementation(allDone as never);
  await renderApp(<ClientActDialog act={act} clients={clients} onClose={vi.fn()} />);
  return { post, dialog: within(await screen.findByRole("dialog")) };
}

const sent = (post: { mock: { calls: unknown[][] } }) => (post.mock.calls.at(-1)![1] as { body: object }).body;

describe("acts on clients", () => {
  afterEach(() => vi.restoreAllMocks());

  it("say what they hit, leave out whom they make no sense for, and can be taken back", async () => {
    const off = { ...client, id: "c-off", label: "Boris", enabled: false, state: "disabled" as const };
    const { post, dialog } = await open("disable", [{ ...client, online: true }, off]);
    expect(dialog.getByText(/1 client is online: its connections end within seconds/)).toBeInTheDocument();
    expect(dialog.getByText(/2 flows let them in no more/)).toBeInTheDocument();
    expect(dialog.getByText("is disabled already")).toBeInTheDocument();
    await user.click(dialog.getByRole("button", { name: "Disable" }));
    expect(await dialog.findByText("Done for 1 client")).toBeInTheDocument();
    expect(sent(post)).toEqual({ ids: [client.id], act: "disable" });
    await user.click(dialog.getByRole("button", { name: "Enable" }));
    await waitFor(() => expect(sent(post)).toEqual({ ids: [client.id], act: "enable" }));
  });

  it("revoke many only after a word was typed", async () => {
    const { post, dialog } = await open("revoke", some(2));
    expect(dialog.getByRole("button", { name: "Revoke" })).toHaveAttribute("aria-disabled", "true");
    await user.type(dialog.getByRole("textbox"), "REVOKE");
    await user.click(dialog.getByRole("button", { name: "Revoke" }));
    expect(await dialog.findByText("Done for 2 clients")).toBeInTheDocument();
    expect(sent(post)).toEqual({ ids: ["c-0", "c-1"], act: "revoke" });
  });

  it("extend by the days that were typed, which have to be some", async () => {
    const ending = { ...client, expires_at: "2026-04-01T00:00:00Z" };
    const unused = { ...client, id: "c-3", label: "Gleb", lasts_days: 30 };
    const { post, dialog } = await open("extend", [ending, { ...client, id: "c-2", label: "Vera" }, unused]);
    expect(dialog.getByText("never expires")).toBeInTheDocument();
    const days = dialog.getByRole("textbox", { name: "Days" });
    await user.clear(days);
    expect(dialog.getByRole("button", { name: "Extend" })).toHaveAttribute("aria-disabled", "true");
    await user.type(days, "7");
    await user.click(dialog.getByRole("button", { name: "Extend" }));
    await waitFor(() => expect(sent(post)).toEqual({ ids: [client.id, "c-3"], act: "extend", extend_days: 7 }));
  });

  it("limit what clients may use of each node, and say whose connections end once", async () => {
    const { post, dialog } = await open("limits", [
      { ...client, online: true },
      { ...client, id: "c-2" },
    ]);
    expect(dialog.getByText(/1 client is online: under a tighter limit its connections end once/)).toBeInTheDocument();
    await user.type(dialog.getByRole("textbox", { name: "Speed, Mbit/s" }), "50");
    await user.type(dialog.getByRole("textbox", { name: "Addresses at once" }), "2");
    await user.click(dialog.getByRole("button", { name: "Set the limits" }));
    await waitFor(() =>
      expect(sent(post)).toEqual({
        ids: [client.id, "c-2"],
        act: "limits",
        limits: { speed_mbps: 50, addresses: 2 },
      }),
    );
  });

  it("give a flow to those who do not have it", async () => {
    const without = { ...client, id: "c-2", label: "Vera", flows: [] };
    const { post, dialog } = await open("give_flow", [client, without]);
    expect(dialog.getByRole("button", { name: "Give the flow" })).toHaveAttribute("aria-disabled", "true");
    await user.click(dialog.getByRole("combobox", { name: "Flow" }));
    await user.click(await screen.findByRole("option", { name: "Europe main" }));
    expect(dialog.getByText("has this flow already")).toBeInTheDocument();
    await user.click(dialog.getByRole("button", { name: "Give the flow" }));
    await waitFor(() => expect(sent(post)).toEqual({ ids: ["c-2"], act: "give_flow", flow_id: "f-europe" }));
  });

  it("go over long lists in parts, and a part that is refused keeps back no other", async () => {
    const post = vi.spyOn(api, "POST").mockImplementation(allDone as never);
    post.mockResolvedValueOnce(answers({ code: "permission_denied", detail: "no" }, 403));
    const reported: number[] = [];
    const results = await runAct(some(450), { act: "enable" }, "done", (known) => reported.push(known.length));
    expect(post).toHaveBeenCalledTimes(3);
    expect(reported).toEqual([200, 400, 450]);
    expect(results.filter((one) => one.ok)).toHaveLength(250);
    expect(results[0]).toMatchObject({ id: "c-0", name: "client 0", ok: false });
  });

  it("take nobody who was revoked", () => {
    const gone = { ...client, state: "revoked" as const };
    for (const act of [
      "enable",
      "disable",
      "extend",
      "limits",
      "tags",
      "give_flow",
      "reset_traffic",
      "revoke",
    ] as const)
      expect(whyLeft(act, gone)).toBe("act.leftRevoked");
  });
});
