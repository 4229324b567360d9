import { screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { Problem } from "@/api/problem";
import { renderApp } from "@/testing/render-app";
import { ActDialog, type ActDialogProps, type ActResult } from "./act-dialog";

const one = (id: string, ok: boolean | undefined, text = ""): ActResult => ({ id, name: id, ok, text });

async function open(change: Partial<ActDialogProps> = {}) {
  const props: ActDialogProps = {
    onClose: () => undefined,
    title: "Restart the cores of 2 nodes",
    children: "Open connections break.",
    effects: [{ key: "1", glyph: "down", name: "Europe main", path: "/flows/1", text: "enters here" }],
    undo: "The core comes back by itself.",
    verb: "Restart core",
    run: () => Promise.resolve([]),
    ...change,
  };
  await renderApp(<ActDialog {...props} />);
  return within(await screen.findByRole("dialog"));
}

describe("the dialog before an act", () => {
  it("says what it does, what it hits now and the way back, and does nothing before it is confirmed", async () => {
    const run = vi.fn(() => Promise.resolve([one("fra-02", true)]));
    const dialog = await open({ run });
    expect(dialog.getByText("Open connections break.")).toBeInTheDocument();
    expect(dialog.getByRole("region", { name: "What it hits now" })).toHaveTextContent("Europe main enters here");
    expect(dialog.getByRole("region", { name: "Way back" })).toHaveTextContent("The core comes back by itself.");
    expect(run).not.toHaveBeenCalled();
    expect(dialog.getByRole("button", { name: "Cancel" })).toHaveFocus();
  });

  it("shows the result of each object in one place, failures first, and repeats only those", async () => {
    const run = vi.fn<ActDialogProps["run"]>(async (_, failed) =>
      failed ? [one("lon-03", true)] : [one("fra-02", true), one("lon-03", false, "the agent is offline")],
    );
    const dialog = await open({ run });
    await userEvent.click(dialog.getByRole("button", { name: "Restart core" }));
    expect(await dialog.findByRole("status")).toHaveTextContent("Done: 1, failed: 1");
    const results = () => within(dialog.getByRole("list", { name: "Result of each" })).getAllByRole("listitem");
    expect(results().map((row) => row.textContent)).toEqual(["lon-03 the agent is offline", "fra-02 "]);
    await userEvent.click(dialog.getByRole("button", { name: "Try again on 1 node" }));
    expect(run).toHaveBeenLastCalledWith(expect.anything(), ["lon-03"]);
    expect(await dialog.findByText("Done on 2 nodes")).toBeInTheDocument();
    expect(results()).toHaveLength(2);
  });

  it("takes it back on those where it was done", async () => {
    const back = vi.fn(() => Promise.resolve([one("fra-02", true)]));
    const dialog = await open({
      run: () => Promise.resolve([one("fra-02", true), one("lon-03", false)]),
      takeBack: { verb: "End maintenance", run: back },
    });
    await userEvent.click(dialog.getByRole("button", { name: "Restart core" }));
    await userEvent.click(await dialog.findByRole("button", { name: "End maintenance" }));
    expect(back).toHaveBeenCalledWith(["fra-02"]);
    expect(await dialog.findByText("Done on 1 node")).toBeInTheDocument();
    expect(dialog.queryByRole("button", { name: "End maintenance" })).not.toBeInTheDocument();
  });

  it("shows what is known while it goes on", async () => {
    const dialog = await open({
      run: (report) => {
        report([one("fra-02", true), one("lon-03", undefined, "sent to the agent")]);
        return new Promise(() => undefined);
      },
    });
    await userEvent.click(dialog.getByRole("button", { name: "Restart core" }));
    expect(await dialog.findByText("sent to the agent")).toBeInTheDocument();
    expect(dialog.getByRole("button", { name: "Continue in the background" })).toBeInTheDocument();
  });

  it("comes back with the refusal when nothing was done", async () => {
    const refusal = new Problem({ status: 409, code: "node_in_use", request_id: "r-7" });
    const dialog = await open({ run: () => Promise.reject(refusal) });
    await userEvent.click(dialog.getByRole("button", { name: "Restart core" }));
    expect(await dialog.findByText("node_in_use · r-7")).toBeInTheDocument();
    expect(dialog.getByRole("button", { name: "Restart core" })).toBeInTheDocument();
  });

  it("opens an act without way back only after the exact name was typed", async () => {
    const run = vi.fn(() => Promise.resolve([]));
    const dialog = await open({ run, typed: "fra-02", verb: "Delete node" });
    await userEvent.type(dialog.getByRole("textbox"), "fra-0{Enter}");
    expect(run).not.toHaveBeenCalled();
    await userEvent.type(dialog.getByRole("textbox"), "2{Enter}");
    expect(run).toHaveBeenCalledOnce();
  });

  it("says so when what it would hit could not be read", async () => {
    const dialog = await open({ effects: undefined, effectsError: new Problem({ status: 503, code: "unavailable" }) });
    expect(dialog.getByText("What this would hit could not be read.")).toBeInTheDocument();
  });

  it("says what the panel did not take where it could not be read for that", async () => {
    const errors = [{ field: "node_id", code: "not_drawn", message: "no draft has this node" }];
    const effectsError = new Problem({ status: 422, code: "invalid_value", errors });
    const dialog = await open({ effects: undefined, effectsError });
    expect(dialog.getByText("What this would hit could not be read. No draft has this node")).toBeInTheDocument();
  });
});
