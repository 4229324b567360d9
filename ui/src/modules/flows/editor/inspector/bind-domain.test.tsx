import { screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { makeMe } from "@/testing/fixtures";
import { renderDialog } from "@/testing/typed-text";
import { fakeState, type FakeState } from "../../testing/fake-panel";
import { fakeFlow, type FakeFlow } from "../../testing/samples";
import { serveFake } from "../../testing/serve-fake";
import { createDraftStore } from "../draft/draft-store";
import { EditorProvider } from "../editor-context";
import { BindDomain } from "./bind-domain";

async function open(state: Partial<FakeState> = {}, flow: FakeFlow = fakeFlow({ owner_id: makeMe([]).account.id })) {
  const panel = serveFake(fakeState({ flows: [flow], ...state }));
  const bound = vi.fn();
  const editor = {
    flow,
    store: createDraftStore(),
    problems: [],
    changes: [],
    changed: new Set<string>(),
    closed: undefined,
  };
  await renderDialog(
    <EditorProvider value={editor}>
      <p>the entry</p>
      <BindDomain nodeId="n-lon" onBound={bound} />
    </EditorProvider>,
    { path: "/flows/f-europe/graph", queries: panel.queries },
  );
  await screen.findByText("the entry");
  return { panel, bound };
}

const begin = async () => userEvent.click(await screen.findByRole("button", { name: "Bind a domain…" }));

describe("binding a domain while an entry is drawn", () => {
  it("binds it to the entry's node and gives it to the entry", async () => {
    const { panel, bound } = await open();
    await begin();
    await userEvent.type(await screen.findByLabelText("Domain", { selector: "input" }), "example.org");
    await userEvent.type(screen.getByLabelText("Host label"), "ams");
    await userEvent.click(screen.getByRole("button", { name: "Bind" }));
    await waitFor(() => expect(bound).toHaveBeenCalledWith("d-new"));
    const sent = panel.asked.find(({ method, path }) => method === "POST" && path === "/api/v1/node-domains");
    expect(sent?.body).toEqual({ node_id: "n-lon", zone: "example.org", label: "ams", mode: "direct" });
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  });

  it("says that a name is taken and keeps what was typed", async () => {
    const taken = { status: 409, body: { code: "domain_conflict", title: "Conflict" } };
    const { bound } = await open({ refusals: { "POST /api/v1/node-domains": [taken] } });
    await begin();
    await userEvent.type(await screen.findByLabelText("Domain", { selector: "input" }), "example.org");
    await userEvent.click(screen.getByRole("button", { name: "Bind" }));
    expect(await screen.findByText(/already leads to a node/)).toBeVisible();
    expect(screen.getByLabelText("Domain", { selector: "input" })).toHaveValue("example.org");
    expect(bound).not.toHaveBeenCalled();
  });

  it("asks before a typed name is lost", async () => {
    await open();
    await begin();
    await userEvent.type(await screen.findByLabelText("Host label"), "ams");
    await userEvent.keyboard("{Escape}");
    await userEvent.click(await screen.findByRole("button", { name: "Stay" }));
    expect(screen.getByLabelText("Host label")).toHaveValue("ams");
  });

  it("is offered to the owner of the flow alone, whose domains it may have", async () => {
    await open({}, fakeFlow({ owner_id: "u-2" }));
    expect(screen.queryByRole("button", { name: "Bind a domain…" })).toBeNull();
  });

  it("is closed with its reason to an account that may not change nodes", async () => {
    await open({ permissions: ["connection_units.*", "nodes.view"] });
    const act = await screen.findByRole("button", { name: "Bind a domain…" });
    await waitFor(() => expect(act).toHaveAttribute("aria-disabled", "true"));
  });
});
