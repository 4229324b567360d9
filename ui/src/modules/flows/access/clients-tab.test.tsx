import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { csvOf } from "@/components/table/csv";
import { renderApp } from "@/testing/render-app";
import { createDraftStore } from "../editor/draft/draft-store";
import { EditorProvider } from "../editor/editor-context";
import { fakeState } from "../testing/fake-panel";
import { fakeClient, fakeFlow } from "../testing/samples";
import { serveFake } from "../testing/serve-fake";
import { clientsCsvFields } from "./clients-csv";
import { clientState } from "./clients-search";
import ClientsTab from "./clients-tab";

async function open(flow = fakeFlow()) {
  const panel = serveFake(fakeState({ flows: [flow] }));
  const editor = {
    flow,
    store: createDraftStore(),
    problems: [],
    changes: [],
    changed: new Set<string>(),
    closed: undefined,
  };
  const page = await renderApp(
    <EditorProvider value={editor}>
      <ClientsTab />
    </EditorProvider>,
    { path: "/flows/f-europe/clients", queries: panel.queries },
  );
  await screen.findByRole("table", { name: "Clients" });
  return { ...page, ...panel };
}

describe("the clients of a flow", () => {
  it("says Active only of a client that the nodes let in", () => {
    const flow = fakeFlow();
    const client = fakeClient("c", "anna");
    expect(clientState(client, flow)).toBe("works");
    expect(clientState({ ...client, installed: false }, flow)).toBe("waits");
    expect(clientState({ ...client, installed: false, elsewhere: true }, flow)).toBe("elsewhere");
    expect(clientState(client, { ...flow, enabled: false })).toBe("stopped");
    expect(clientState({ ...client, state: "revoked" }, flow)).toBe("leaves");
    expect(clientState({ ...client, state: "disabled" }, flow)).toBe("leaves");
    for (const state of ["disabled", "expired", "spent", "revoked"] as const)
      expect(clientState({ ...client, state, installed: false }, flow)).toBe(state);
  });

  it("says of a client whom the nodes take over by themselves that it is on its way, and asks for no apply", async () => {
    const flow = fakeFlow({ clients: [fakeClient("c", "anna", { by_apply: false, installed: false })] });
    const [coming] = flow.clients;
    expect(clientState(coming!, flow)).toBe("coming");
    expect(clientState({ ...coming!, state: "revoked", installed: true }, flow)).toBe("leaving");
    await open(flow);
    expect(screen.getByText("On its way to the nodes")).toBeInTheDocument();
    expect(screen.queryByText(/compile the draft and apply the plan/)).not.toBeInTheDocument();
  });

  it("are read page by page, however many there are", async () => {
    const clients = Array.from({ length: 120 }, (_, at) => fakeClient(`c${at}`, `client ${at}`));
    const { asked } = await open(fakeFlow({ clients }));
    expect(screen.getByText("50 of 120")).toBeInTheDocument();
    await userEvent.click(screen.getByRole("button", { name: "Load more" }));
    expect(await screen.findByText("100 of 120")).toBeInTheDocument();
    expect(asked.filter(({ path }) => path.includes("/clients?")).map(({ path }) => path)).toEqual([
      expect.stringContaining("limit=50&sort=state"),
      expect.stringContaining("cursor=50"),
    ]);
  });

  it("adds a client with the key that makes new things on every list", async () => {
    await open();
    await userEvent.keyboard("c");
    expect(await screen.findByRole("dialog", { name: "Add client" })).toBeInTheDocument();
  });

  it("keeps search and order in the address", async () => {
    const { address } = await open();
    await userEvent.type(screen.getByRole("textbox", { name: "Find a client" }), "oleg");
    await waitFor(() => expect(screen.getAllByRole("row")).toHaveLength(2));
    expect(address()).toContain("q=oleg");
  });

  it("are a file without any secret, and a name that a spreadsheet would run is disarmed", () => {
    const rows = csvOf(clientsCsvFields(fakeFlow()), [
      fakeClient("1", "=HYPERLINK(1)"),
      fakeClient("2", "Zoe", { installed: false }),
    ]).split("\r\n");
    expect(rows[0]).toBe("name,state,added_at,revoked_at,subscription_url,id");
    expect(rows[1]).toMatch(/^'=HYPERLINK\(1\),works,/);
    expect(rows[2]).toMatch(/^Zoe,waits,/);
  });

  it("draws the change of the lists as a plan before anything is sent, and installs with the same button", async () => {
    const { written } = await open();
    await userEvent.click(screen.getByRole("button", { name: "Add client" }));
    await userEvent.type(await screen.findByRole("textbox", { name: "Name" }), "pavel");
    const plan = await screen.findByRole("region", { name: "What changes" });
    expect(plan).toHaveTextContent("No interruption");
    expect(plan).toHaveTextContent("msk-01pavel is let in");
    expect(written()).toEqual([]);
    await userEvent.click(screen.getByRole("button", { name: "Add and install" }));
    await waitFor(() => expect(written().map(({ method }) => method)).toEqual(["POST"]));
  });

  it("draws no plan where nothing is installed", async () => {
    await open(fakeFlow({ installed_revision: null }));
    await userEvent.click(screen.getByRole("button", { name: "Add client" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Add client" }));
    expect(dialog.getByRole("button", { name: "Add client" })).toBeInTheDocument();
    expect(dialog.queryByRole("region", { name: "What changes" })).toBeNull();
  });

  it("says after adding one that compiling and applying is needed, with the button for it", async () => {
    const { address } = await open();
    expect(screen.getByRole("status")).toHaveTextContent("1 client waits: compile the draft and apply the plan");
    await userEvent.click(screen.getByRole("button", { name: "Add client" }));
    await userEvent.type(await screen.findByRole("textbox", { name: "Name" }), "pavel{Enter}");
    const dialog = within(screen.getByRole("dialog"));
    expect(await dialog.findByText(/It cannot connect yet/)).toBeInTheDocument();
    await userEvent.click(dialog.getByRole("button", { name: "Compile plan" }));
    await waitFor(() => expect(address()).toBe("/flows/f-europe/plans/p-17"));
  });
});
