import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { useStore } from "zustand";
import { changeLanguage } from "@/text/i18n";
import { renderApp } from "@/testing/render-app";
import type { Drawing } from "../../drawing/drawing";
import { fakeState } from "../../testing/fake-panel";
import { officePolicy, upstream } from "../../testing/governed";
import { fakeFlow } from "../../testing/samples";
import { serveFake } from "../../testing/serve-fake";
import { createDraftStore } from "../draft/draft-store";
import { EditorProvider } from "../editor-context";
import { OutlineTab } from "../outline/outline-tab";
import { BlockForm } from "./block-form";
import { WaysForm } from "./ways-form";

const [second, first] = upstream.versions as [(typeof upstream.versions)[0], (typeof upstream.versions)[0]];

const ruled = (versionId?: string, sets?: string[]): Drawing => ({
  nodes: [
    { key: "in", kind: "entry", title: "Office", node_id: "n-msk" },
    { key: "out", kind: "custom", ...(versionId && { plan_version_id: versionId }) },
    { key: "stop", kind: "block" },
  ],
  edges: [
    { from: "in", to: "stop", match: sets ? { sets } : { domain: ["a.example"] }, priority: 10 },
    { from: "in", to: "out" },
  ],
});

async function open(drawing: Drawing, what: "form" | "ways" | "outline") {
  const flow = fakeFlow();
  const panel = serveFake(
    fakeState({ flows: [flow], customPlans: [upstream], policies: [officePolicy], sets: ["ads", "banks"] }),
  );
  const store = createDraftStore();
  store.getState().edit(() => drawing);
  const editor = { flow, store, problems: [], changes: [], changed: new Set<string>(), closed: undefined };
  const Form = () => {
    const { nodes } = useStore(store, (state) => state.drawing);
    return what === "ways" ? <WaysForm blockKey="in" /> : <BlockForm block={nodes[1]!} />;
  };
  await renderApp(
    <EditorProvider value={editor}>
      {what === "outline" ? <OutlineTab installed={undefined} /> : <Form />}
    </EditorProvider>,
    { path: "/flows/f-europe/graph", queries: panel.queries },
  );
  return () => store.getState().drawing;
}

describe("a custom plan in a drawing", () => {
  it("is chosen by version, those that a policy of the flow enables first", async () => {
    const drawn = await open(ruled(), "form");
    await userEvent.click(await screen.findByRole("combobox", { name: "Custom plan" }));
    const enabled = within(await screen.findByRole("group", { name: "Enabled for this flow" }));
    const others = within(screen.getByRole("group", { name: "No policy of this flow enables it" }));
    expect(others.getByRole("option", { name: "Upstream v2 · SOCKS proxy [2001:db8::7]:1080" })).toBeInTheDocument();
    await userEvent.click(enabled.getByRole("option", { name: "Upstream v1 · from the node itself, IPv4 only" }));
    expect(drawn().nodes[1]!.plan_version_id).toBe(first.id);
    expect(screen.queryByText(/No policy of this flow enables this version/)).toBeNull();
  });

  it("says that a version is not enabled before a plan is refused for it, in both languages", async () => {
    await open(ruled(second.id), "form");
    expect(await screen.findByText(/No policy of this flow enables this version/)).toBeInTheDocument();
    await changeLanguage("ru");
    expect(await screen.findByText(/Ни одна политика этого потока не включает эту версию/)).toBeInTheDocument();
    await changeLanguage("en");
  });

  it("says when its version is gone", async () => {
    await open(ruled("01890000-0000-7000-8000-00000000dead"), "form");
    await waitFor(() =>
      expect(screen.getByRole("combobox", { name: "Custom plan" })).toHaveValue("A version that is gone"),
    );
  });
});

describe("sets of the catalogue in a drawing", () => {
  it("are chosen by name, and the rule is called by them", async () => {
    const drawn = await open(ruled(), "ways");
    await userEvent.click(await screen.findByRole("button", { name: /a\.example/, expanded: false }));
    await userEvent.click(screen.getByRole("combobox", { name: "Sets of the catalogue" }));
    await userEvent.click(await screen.findByRole("option", { name: "banks" }));
    expect(drawn().edges[0]!.match).toEqual({ domain: ["a.example"], sets: ["banks"] });
    expect(screen.getByRole("button", { name: /a\.example, set:banks/, expanded: true })).toBeInTheDocument();
  });

  it("stay to be seen when the catalogue has them no more", async () => {
    await open(ruled(undefined, ["gone"]), "ways");
    await userEvent.click(await screen.findByRole("button", { name: /set:gone/, expanded: false }));
    expect(screen.queryByText(/Without a condition/)).toBeNull();
    await userEvent.click(screen.getByRole("combobox", { name: "Sets of the catalogue" }));
    expect(await screen.findByRole("option", { name: "gone" })).toBeInTheDocument();
  });
});

it("the outline says what the graph says of plans and sets", async () => {
  await open(ruled(first.id, ["ads"]), "outline");
  expect(await screen.findByText("set:ads")).toBeInTheDocument();
  await userEvent.click(screen.getByRole("button", { name: "Expand all" }));
  expect(await screen.findByText("Upstream v1, from the node itself, IPv4 only")).toBeInTheDocument();
});
