import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { renderApp } from "@/testing/render-app";
import { fakeState } from "../testing/fake-panel";
import { fakeFlow, type FakeFlow } from "../testing/samples";
import { serveFake } from "../testing/serve-fake";
import FlowListPage from "./list-page";

const calm = { draft_revision: 16, clients: [] };

async function open(path: string, flows: FakeFlow[]) {
  const panel = serveFake(fakeState({ flows }));
  const page = await renderApp(<FlowListPage />, { path, queries: panel.queries });
  await screen.findByRole("table", { name: "Flows" });
  return { ...page, ...panel };
}

const names = () =>
  screen
    .getAllByRole("row")
    .slice(1)
    .map((row) => within(row).getAllByRole("link")[0]!.textContent);

describe("the list of flows", () => {
  it("begins with the worst, counts health of applied flows only, and keeps filters in the address", async () => {
    const { address } = await open("/flows", [
      fakeFlow({ id: "1", name: "Asia pair", ...calm }),
      fakeFlow({ id: "2", name: "Warsaw reserve", health_state: "down", tags: ["reserve"], ...calm }),
      fakeFlow({ id: "3", name: "Lab", installed_revision: null, health_state: "unknown" }),
    ]);
    expect(names()).toEqual(["Warsaw reserve", "Asia pair", "Lab"]);
    expect(screen.getByRole("link", { name: /^Health issues/ })).toHaveTextContent("1");
    await userEvent.click(screen.getByRole("link", { name: /^Health issues/ }));
    await waitFor(() => expect(address()).toContain("view=health"));
    expect(names()).toEqual(["Warsaw reserve"]);
  });

  it("tells sessions and traffic of what is installed, and that nobody measures the rest", async () => {
    const { asked } = await open("/flows", [
      fakeFlow({ id: "1", name: "Asia pair", ...calm }),
      fakeFlow({ id: "2", name: "Lab", installed_revision: null }),
    ]);
    const row = await screen.findByRole("row", { name: /Asia pair/ });
    await waitFor(() => expect(row).toHaveTextContent("1431.0 / 2.40"));
    expect(screen.getByRole("columnheader", { name: "Down / up, Mbit/s" })).toBeInTheDocument();
    expect(screen.getByRole("row", { name: /Lab/ })).not.toHaveTextContent("31.0");
    expect(asked.map(({ path }) => path)).toContain("/api/v1/connection-units/traffic?ids=1");
  });

  it("shows what the address filters by as chips that can be taken off", async () => {
    const { address } = await open("/flows?tag=reserve", [fakeFlow({ tags: ["reserve"] })]);
    const chips = within(screen.getByRole("list", { name: "Filters" }));
    await userEvent.click(chips.getByRole("button", { name: /reserve/ }));
    await waitFor(() => expect(address()).not.toContain("tag="));
  });

  it("stops several flows after one question that names each, what is left out, and the way back", async () => {
    const { written } = await open("/flows", [
      fakeFlow({ id: "1", name: "Asia pair", node_ids: ["n-msk"] }),
      fakeFlow({ id: "2", name: "Lab", installed_revision: null }),
    ]);
    await userEvent.click(screen.getByRole("checkbox", { name: /Asia pair/ }));
    await userEvent.click(screen.getByRole("checkbox", { name: /Lab/ }));
    await userEvent.click(screen.getByRole("button", { name: "Stop serving…" }));
    const dialog = within(await screen.findByRole("dialog"));
    expect(await dialog.findByText("drops it; other flows on the node go on")).toBeInTheDocument();
    const effects = dialog.getByRole("region", { name: "What it hits now" });
    expect(effects).toHaveTextContent("Asia pair 3 clients lose their connection");
    expect(effects).toHaveTextContent("msk-01");
    expect(effects).toHaveTextContent("12 TCP connections are open");
    expect(dialog.getByRole("region", { name: "Not included" })).toHaveTextContent("Lab nothing of it is installed");
    expect(dialog.getByRole("region", { name: "Way back" })).toHaveTextContent("Start serving");
    expect(written()).toEqual([]);
    await userEvent.click(dialog.getByRole("button", { name: "Stop serving" }));
    expect(await dialog.findByText("Started for 1 flow")).toBeInTheDocument();
    expect(written().map(({ path }) => path)).toEqual(["/api/v1/connection-units/1/disable"]);
  });

  it("deletes only after the name was typed, and says that there is no way back", async () => {
    const { written } = await open("/flows", [fakeFlow()]);
    await userEvent.click(screen.getByRole("button", { name: /Europe main/ }));
    await userEvent.click(await screen.findByRole("menuitem", { name: "Delete flow…" }));
    const dialog = within(await screen.findByRole("dialog"));
    expect(dialog.getByRole("region", { name: "Way back" })).toHaveTextContent("There is no way back");
    await userEvent.type(dialog.getByRole("textbox"), "Europe mai{Enter}");
    expect(written()).toEqual([]);
    await userEvent.type(dialog.getByRole("textbox"), "n{Enter}");
    await waitFor(() => expect(written().map(({ method }) => method)).toEqual(["DELETE"]));
  });
});
