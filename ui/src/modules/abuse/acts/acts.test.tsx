import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { renderApp } from "@/testing/render-app";
import { makeAct, makeLine, makeSignal, nodeId, pageOf, serve } from "../testing";
import { ActDialog } from "./act-dialog";
import { ActEntry } from "./act-entry";
import { actsOn, suggestedAct, type CaseAct } from "./acts";

const posted = `POST /cases/${makeLine().id}/actions`;

async function ask(act: CaseAct, replies: Parameters<typeof serve>[0] = {}) {
  const served = serve({ [posted]: { status: 201, body: makeAct() }, ...replies });
  await renderApp(<ActDialog act={act} cases={[makeLine()]} onClose={vi.fn()} />, { queries: served.queries });
  return { ...served, dialog: within(await screen.findByRole("dialog")) };
}

describe("an act on a user", () => {
  it("says what it does, where, until when, and how it is taken back, and wants a reason", async () => {
    const { dialog, written } = await ask("limit");
    expect(dialog.getByText(/limited on every node of its flows/)).toBeInTheDocument();
    expect(dialog.getByText("seen on fra-02")).toBeInTheDocument();
    expect(dialog.getByText(/It ends by itself, and can be undone/)).toBeInTheDocument();
    expect(dialog.getByRole("button", { name: "Limit" })).toHaveAttribute("aria-disabled", "true");
    await userEvent.type(dialog.getByLabelText("Reason"), "shared");
    await userEvent.click(dialog.getByRole("button", { name: "Limit" }));
    await waitFor(() => expect(written()).toHaveLength(1));
    expect(written()[0]!.body).toEqual({
      kind: "limit",
      reason: "shared",
      minutes: 1_440,
      speed_mbps: 2,
      addresses: 1,
    });
  });

  it("blocks the addresses that signals know, or those that are typed", async () => {
    const source = { ip: "198.51.100.7", prefix_hash: "", asn: 0, country: "" };
    const { dialog, written } = await ask("block_ips", { "GET /signals": pageOf(makeSignal({ source })) });
    await waitFor(() => expect(dialog.getByLabelText("Addresses and networks")).toHaveValue("198.51.100.7"));
    await userEvent.type(dialog.getByLabelText("Addresses and networks"), "{Enter}2001:db8::/64");
    await userEvent.type(dialog.getByLabelText("Reason"), "scan");
    await userEvent.click(dialog.getByRole("button", { name: "Block" }));
    await waitFor(() => expect(written()).toHaveLength(1));
    expect(written()[0]!.body).toMatchObject({ networks: ["198.51.100.7", "2001:db8::/64"], minutes: 60 });
  });

  it("has nothing to block while no address is known", async () => {
    const { dialog } = await ask("block_ips", { "GET /signals": pageOf(makeSignal()) });
    await userEvent.type(dialog.getByLabelText("Reason"), "scan");
    expect(dialog.getByText("Name an address first")).toBeInTheDocument();
  });

  it("tells a refusal and can be tried again", async () => {
    const refused = { status: 409, body: { status: 409, code: "blocks_yourself", detail: "you come from there" } };
    const { dialog } = await ask("warn", { [posted]: [refused, { status: 201, body: makeAct() }] });
    await userEvent.type(dialog.getByLabelText("Reason"), "first");
    await userEvent.click(dialog.getByRole("button", { name: "Warn" }));
    expect(await dialog.findByText(/the address that you come from/)).toBeInTheDocument();
    await userEvent.click(dialog.getByRole("button", { name: "Try again for 1 case" }));
    expect(await dialog.findByText("Done for 1 case")).toBeInTheDocument();
  });

  it("is suggested by how far the score is", () => {
    expect(suggestedAct("monitor")).toBeUndefined();
    expect(suggestedAct("soft_block")).toBe("limit");
    expect(actsOn(makeLine({ state: "dismissed" }))).not.toContain("limit");
  });
});

describe("what became of an act", () => {
  const draw = async (change: Parameters<typeof makeAct>[0], replies: Parameters<typeof serve>[0] = {}) => {
    const served = serve(replies);
    await renderApp(<ActEntry act={makeAct(change)} />, { queries: served.queries });
    return served;
  };

  it("is told of each node that could not", async () => {
    const nodes = [
      { node_id: nodeId, node: "fra-02", ok: true, error: "" },
      { node_id: "2", node: "ams-01", ok: false, error: "firewall_none" },
    ];
    await draw({
      kind: "block_ips",
      result: { ...makeAct().result, limits: null as never, nodes, networks: ["198.51.100.7"] },
    });
    expect(await screen.findByText("done on 1 of 2 nodes, 198.51.100.7")).toBeInTheDocument();
    expect(screen.getByText("has no right to the firewall")).toBeInTheDocument();
  });

  it("names the panel where it acted by itself", async () => {
    await draw({ automatic: true, by: "system" });
    expect(await screen.findByText("The panel")).toBeInTheDocument();
  });

  it("can be undone while it holds, after it was said what comes back", async () => {
    const undone = `POST /actions/${makeAct().id}/undo`;
    const { written } = await draw({}, { [undone]: { body: makeAct({ state: "undone" }) } });
    await userEvent.click(await screen.findByRole("button", { name: "Undo…" }));
    expect(await screen.findByText("The user gets the limits back that it had before.")).toBeInTheDocument();
    await userEvent.click(screen.getByRole("button", { name: "Undo" }));
    await waitFor(() => expect(written()).toHaveLength(1));
  });

  it("has no way back once it is over", async () => {
    await draw({ undoable: false, state: "ended", ended_at: "2026-03-11T12:00:00Z" });
    expect(await screen.findByText("Over")).toBeInTheDocument();
    expect(screen.queryByRole("button", { name: "Undo…" })).not.toBeInTheDocument();
  });
});
