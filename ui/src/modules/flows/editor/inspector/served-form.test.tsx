import { screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { useStore } from "zustand";
import { changeLanguage } from "@/text/i18n";
import { renderApp } from "@/testing/render-app";
import type { Drawing } from "../../drawing/drawing";
import { duplicate } from "../../drawing/drawing-edits";
import { positionsOf } from "../../drawing/layout";
import { fakeState } from "../../testing/fake-panel";
import { fakeFlow } from "../../testing/samples";
import { serveFake } from "../../testing/serve-fake";
import { createDraftStore } from "../draft/draft-store";
import { EditorProvider } from "../editor-context";
import { OutlineTab } from "../outline/outline-tab";
import { BlockForm } from "./block-form";
import { readBlock } from "./json-shape";

const proxyPanels = [
  {
    id: "c-1",
    label: "Remnawave Europe",
    squads: [
      { id: "s-1", name: "Everybody", gone_at: null },
      { id: "s-2", name: "Friends", gone_at: null },
      { id: "s-3", name: "Former", gone_at: "2026-11-01T00:00:00Z" },
    ],
  },
];
const offer = { connection_id: "c-1", squad_ids: ["s-1"], remark: "Europe" };

const drawing = (proxypanel?: typeof offer): Drawing => ({
  nodes: [
    {
      key: "in",
      kind: "entry",
      title: "Office",
      params: {
        listener: { protocol: "vless", port: 443, reality: { target: "a:443" } },
        ...(proxypanel && { proxypanel }),
      },
    },
    { key: "out", kind: "direct" },
  ],
  edges: [{ from: "in", to: "out" }],
});

async function open(what: "form" | "outline", drawn: Drawing, panels = proxyPanels) {
  const flow = fakeFlow();
  const panel = serveFake(fakeState({ flows: [flow], proxyPanels: panels }));
  let at = 0;
  const store = createDraftStore(() => (at += 1000)); // each edit is a step of its own
  store.getState().edit(() => drawn);
  const editor = { flow, store, problems: [], changes: [], changed: new Set<string>(), closed: undefined };
  const Form = () => <BlockForm block={useStore(store, (state) => state.drawing).nodes[0]!} />;
  await renderApp(
    <EditorProvider value={editor}>{what === "form" ? <Form /> : <OutlineTab installed={undefined} />}</EditorProvider>,
    { path: "/flows/f-europe/graph", queries: panel.queries },
  );
  return { store, params: () => store.getState().drawing.nodes[0]!.params! };
}

async function choose(name: string, option: string) {
  await userEvent.click(await screen.findByRole("combobox", { name }));
  await userEvent.click(await screen.findByRole("option", { name: option }));
}

describe("who serves an entry", () => {
  it("is chosen among the connections, with squads that are there and a name for users", async () => {
    const { params, store } = await open("form", drawing());
    await choose("Served by", "Remnawave Europe");
    expect(params().proxypanel).toEqual({ connection_id: "c-1", squad_ids: [] });
    const squads = await screen.findByRole("combobox", { name: /^Squads/ });
    await userEvent.click(squads);
    await userEvent.click(await screen.findByRole("option", { name: "Friends" }));
    expect(screen.queryByRole("option", { name: "Former" })).toBeNull();
    await userEvent.type(screen.getByLabelText("Name that users see"), "DE");
    expect(params().proxypanel).toEqual({ connection_id: "c-1", squad_ids: ["s-2"], remark: "DE" });
    expect(screen.getByRole("radio", { name: "None" })).toBeInTheDocument();
    expect(screen.queryByRole("radio", { name: "TLS" }), "its certificate would be ours").toBeNull();

    await choose("Served by", "Our own agent");
    expect(params().proxypanel).toBeUndefined();
    store.temporal.getState().undo();
    expect(params().proxypanel?.squad_ids).toEqual(["s-2"]);
  });

  it("is not asked where there is no connection, and is kept where it is gone", async () => {
    await open("form", drawing(), []);
    await screen.findByRole("combobox", { name: "Protocol" });
    expect(screen.queryByRole("combobox", { name: "Served by" })).toBeNull();
  });

  it("keeps what it has where the connection or a squad is gone", async () => {
    const { params } = await open("form", drawing({ ...offer, squad_ids: ["s-1", "s-9"] }), []);
    await waitFor(() =>
      expect(screen.getByRole("combobox", { name: "Served by" })).toHaveValue("A connection that is gone"),
    );
    expect((await screen.findAllByText("A squad that is gone")).length).toBeGreaterThan(0);
    await userEvent.type(screen.getByLabelText("Name that users see"), "!");
    expect(params().proxypanel).toEqual({ connection_id: "c-1", squad_ids: ["s-1", "s-9"], remark: "Europe!" });
  });

  it("stands beside the block in both languages, and goes with a copy and through the JSON view", async () => {
    const { store } = await open("outline", drawing(offer));
    expect(await screen.findByText(/Served by Remnawave Europe/)).toBeInTheDocument();
    await changeLanguage("ru");
    expect(await screen.findByText(/Обслуживает Remnawave Europe/)).toBeInTheDocument();
    await changeLanguage("en");
    const now = store.getState().drawing;
    const copied = duplicate(now, ["in"], positionsOf(now));
    expect(copied.drawing.nodes.find(({ key }) => key === copied.keys[0])!.params!.proxypanel).toEqual(offer);
    const block = now.nodes[0]!;
    expect(readBlock(JSON.stringify(block), block)).toEqual({ block });
    const wrong = { ...block, params: { ...block.params, proxypanel: { ...offer, squad_ids: "s-1" } } };
    expect(readBlock(JSON.stringify(wrong), block)).toEqual({
      faults: [{ kind: "type", field: "params.proxypanel.squad_ids" }],
    });
  });
});
