import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, describe, expect, it } from "vitest";
import { changeLanguage } from "@/text/i18n";
import { renderApp } from "@/testing/render-app";
import { PlacesProvider } from "../editor/editor-context";
import type { NodeDrift } from "../shared/api";
import { fakeState } from "../testing/fake-panel";
import { fakeDrift, fakeFlow } from "../testing/samples";
import { serveFake } from "../testing/serve-fake";
import { DriftBar } from "./drift-bar";

const drifted = fakeFlow({ drift: { state: "drifted", node_ids: ["n-msk"], stages: [] } });

async function open(change: Partial<NodeDrift> = {}, flow = drifted) {
  const panel = serveFake(fakeState({ drift: fakeDrift(change) }));
  const page = await renderApp(
    <PlacesProvider ids={flow.drift.node_ids}>
      <DriftBar flow={flow} />
      <p>shown</p>
    </PlacesProvider>,
    { path: "/flows/f-europe", queries: panel.queries },
  );
  await screen.findByText("shown");
  return { ...page, ...panel };
}

async function ask() {
  await userEvent.click(await screen.findByRole("button", { name: "Restore v17 on msk-01" }));
  return within(await screen.findByRole("dialog", { name: "Restore v17 on msk-01?" }));
}

describe("a flow with a node that runs another configuration", () => {
  afterEach(() => changeLanguage("en"));

  it("names the node, shows the difference before the act, and follows the restoration", async () => {
    const { written, address } = await open();
    expect(await screen.findByRole("link", { name: "msk-01" })).toHaveAttribute("href", "/nodes/n-msk");
    const dialog = await ask();
    const changes = within(await dialog.findByRole("region", { name: "What changes on the node" }));
    expect(await changes.findByText("0.0.0.0:443")).toBeInTheDocument();
    expect(changes.getByText("0.0.0.0:8443")).toBeInTheDocument();
    expect(await dialog.findByText(/12 TCP connections are open/)).toBeInTheDocument();
    await userEvent.click(dialog.getByRole("button", { name: "Restore v17 on msk-01" }));
    await waitFor(() => expect(address()).toBe("/flows/f-europe/applies/a-1"));
    expect(written()).toEqual([
      { method: "POST", path: "/api/v1/connection-units/f-europe/nodes/n-msk/restore", body: undefined },
    ]);
  });

  it("does not guess what it does not know, and tells another flow's part from this one's", async () => {
    const diff = { ...fakeDrift().diff, listeners: [] };
    const { unmount } = await open({ known: false, diff });
    expect(await (await ask()).findByText(/none of the configurations that the panel has made/)).toBeInTheDocument();
    unmount();
    await open({ part_same: true, rest_same: false, diff });
    expect(await (await ask()).findByText(/This flow's part is the same/)).toBeInTheDocument();
  });

  it("keeps the act closed while the agent is silent", async () => {
    await open({ online: false });
    const dialog = await ask();
    const act = () => dialog.getByRole("button", { name: /^Restore v17 on msk-01/ });
    await waitFor(() => expect(act()).toHaveAttribute("aria-disabled", "true"));
    expect(act()).toHaveAccessibleDescription("The agent of msk-01 does not answer");
  });

  it("says it in Russian, and nothing where every node runs what is installed", async () => {
    const { unmount } = await open();
    await changeLanguage("ru");
    expect(await screen.findByRole("button", { name: "Восстановить v17 на msk-01" })).toBeInTheDocument();
    unmount();
    await open({}, fakeFlow());
    expect(screen.queryByRole("region")).toBeNull();
  });
});
