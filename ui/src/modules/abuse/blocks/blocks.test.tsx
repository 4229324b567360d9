import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { renderApp } from "@/testing/render-app";
import { makeBlock, nodeId, pageOf, serve } from "../testing";
import { BlockDialog } from "./block-dialog";
import BlocksPage, { glyphOf } from "./blocks-page";

describe("blocks", () => {
  it("say which nodes hold them, and which cannot and why", async () => {
    const errors = [{ node_id: nodeId, node: "ams-01", error: "firewall_none", detail: "" }];
    const { queries } = serve({ "GET /blocks": pageOf(makeBlock({ nodes_failed: 1, errors })) });
    await renderApp(<BlocksPage />, { queries });
    const row = within((await screen.findByText("198.51.100.7")).closest("tr")!);
    expect(row.getByText("2 of 3 nodes")).toBeInTheDocument();
    expect(row.getByText("ams-01: has no right to the firewall")).toBeInTheDocument();
  });

  it("are quiet only where every node holds them", () => {
    expect(glyphOf(makeBlock())).toBe("healthy");
    expect(glyphOf(makeBlock({ nodes_failed: 1 }))).toBe("degraded");
    expect(glyphOf(makeBlock({ nodes_held: 0, nodes_failed: 1 }))).toBe("down");
    expect(glyphOf(makeBlock({ nodes_held: 0, nodes_waiting: 2 }))).toBe("waiting");
    expect(glyphOf(makeBlock({ nodes_waiting: 1 }))).toBe("waiting");
    expect(glyphOf(makeBlock({ state: "lifted" }))).toBe("skipped");
  });

  it("are lifted by hand", async () => {
    const { queries, written } = serve({
      "GET /blocks": pageOf(makeBlock()),
      [`POST /blocks/${makeBlock().id}/unblock`]: { body: makeBlock({ state: "lifted" }) },
    });
    await renderApp(<BlocksPage />, { queries });
    await userEvent.click(await screen.findByRole("button", { name: "Actions for 198.51.100.7" }));
    await userEvent.click(await screen.findByRole("menuitem", { name: "Lift…" }));
    await userEvent.click(await screen.findByRole("button", { name: "Lift" }));
    await waitFor(() => expect(written()).toHaveLength(1));
  });

  it("are given for a time, with a reason", async () => {
    const onClose = vi.fn();
    const { queries, written } = serve({ "POST /blocks": { status: 201, body: makeBlock() } }, ["abuse.manage"]);
    await renderApp(<BlockDialog onClose={onClose} />, { queries });
    await userEvent.type(await screen.findByLabelText("Address or network"), "198.51.100.0/24");
    await userEvent.type(screen.getByLabelText("Reason"), "flood");
    await userEvent.click(screen.getByRole("button", { name: "Block" }));
    await waitFor(() => expect(onClose).toHaveBeenCalledOnce());
    expect(written()[0]!.body).toEqual({ network: "198.51.100.0/24", minutes: 60, reason: "flood" });
  });

  it("of one's own address are refused, and the form says so", async () => {
    const refusal = { status: 409, body: { status: 409, code: "blocks_yourself", detail: "you come from there" } };
    const { queries } = serve({ "POST /blocks": refusal }, ["abuse.manage"]);
    await renderApp(<BlockDialog onClose={vi.fn()} />, { queries });
    await userEvent.type(await screen.findByLabelText("Address or network"), "203.0.113.9");
    await userEvent.type(screen.getByLabelText("Reason"), "test");
    await userEvent.click(screen.getByRole("button", { name: "Block" }));
    expect(await screen.findByRole("alert")).toHaveTextContent("the address that you come from");
  });
});
