import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { renderApp } from "@/testing/render-app";
import { fakeState } from "../testing/fake-panel";
import { fakeRedraw } from "../testing/redraw-sample";
import { fakeFlow } from "../testing/samples";
import { serveFake } from "../testing/serve-fake";
import NodeFlowsTab from "../list/node-flows-tab";

const flows = [fakeFlow({ id: "f-asia", name: "Asia pair" }), fakeFlow({ id: "f-lab", name: "Lab" })];

/** What a dry run tells: the first flow has a host name, the second is left out. */
function told() {
  const redraw = fakeRedraw(flows, { kind: "replace_node", target: "" });
  redraw.items[0]!.domains = ["asia.example.org"];
  redraw.items[1] = { ...redraw.items[1]!, state: "left_out", code: "nothing_to_change" };
  return redraw;
}

async function open(redraw = told()) {
  const panel = serveFake(fakeState({ flows, redraw }));
  const page = await renderApp(<NodeFlowsTab id="n-msk" />, {
    path: "/nodes/n-msk",
    route: "/nodes/$id",
    queries: panel.queries,
  });
  await userEvent.click(await screen.findByRole("button", { name: "Replace this node in flows…" }));
  const dialog = within(await screen.findByRole("dialog"));
  return { ...page, ...panel, dialog };
}

async function choose(name: RegExp) {
  await userEvent.click(screen.getByRole("combobox", { name: "Node that takes its place" }));
  await userEvent.click(await screen.findByRole("option", { name }));
}

describe("replacing a node in all flows", () => {
  it("says which drafts and host names move before anything changes", async () => {
    const { dialog, written } = await open();
    expect(dialog.getByRole("button", { name: "Change drafts" })).toHaveAttribute("aria-disabled", "true");
    await choose(/ams-01/);
    const effect = await dialog.findByRole("link", { name: "Asia pair" });
    expect(effect.closest("li")).toHaveTextContent("1 block · host names: asia.example.org");
    const kept = within(dialog.getByRole("region", { name: "Not included" }));
    expect(kept.getByText("Lab").closest("li")).toHaveTextContent("has nothing to change");
    expect(written().every(({ body }) => (body as { dry_run?: boolean }).dry_run === true)).toBe(true);
  });

  it("changes the drafts and leads to their plans", async () => {
    const { dialog, written, address } = await open();
    await choose(/ams-01/);
    await dialog.findByRole("link", { name: "Asia pair" });
    await userEvent.click(dialog.getByRole("button", { name: "Change drafts" }));
    expect(await dialog.findByText(/^draft changed/)).toHaveTextContent("host names: asia.example.org");
    expect(written().at(-1)).toMatchObject({
      path: "/api/v1/connection-units/bulk/replace-node",
      body: { node_id: "n-msk", by_node_id: "n-ams" },
    });
    await userEvent.click(dialog.getByRole("button", { name: "Review plans…" }));
    await waitFor(() => expect(decodeURIComponent(address())).toContain("/flows/bulk?flows=f-asia"));
  });

  it("does not take the node itself", async () => {
    const { dialog, written } = await open();
    await choose(/msk-01/);
    const button = dialog.getByRole("button", { name: "Change drafts" });
    expect(button).toHaveAccessibleDescription("Choose another node than this one");
    expect(written()).toEqual([]);
  });
});
