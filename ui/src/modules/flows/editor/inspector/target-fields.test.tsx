import { screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { useStore } from "zustand";
import { Modules } from "@/components/slots/contributions";
import { defineModule, type TargetPickerProps } from "@/module";
import { renderApp } from "@/testing/render-app";
import { fakeState } from "../../testing/fake-panel";
import { fakeFlow } from "../../testing/samples";
import { serveFake } from "../../testing/serve-fake";
import { createDraftStore } from "../draft/draft-store";
import { EditorProvider } from "../editor-context";
import { ListenerForm } from "./listener-form";

function Picker({ nodeId, target, onUse }: TargetPickerProps) {
  const found = { target: "b.example.org:443", serverName: "b.example.org", resultId: "r1" };
  return (
    <button type="button" onClick={() => onUse(found)}>
      {`pick for ${nodeId} in place of ${target}`}
    </button>
  );
}

const picking = defineModule({
  name: "picking",
  targetPickers: [
    { key: "p", order: 1, label: { en: "P", ru: "P" }, load: () => Promise.resolve({ default: Picker }) },
  ],
});

describe("the target of a REALITY listener", () => {
  it("is taken from a search with its result and its name, until another one is typed", async () => {
    const flow = fakeFlow();
    const panel = serveFake(fakeState({ flows: [flow] }));
    const store = createDraftStore();
    const reality = { target: "a.example.org:443", server_names: ["a.example.org"], short_ids: ["aa"] };
    const listener = { protocol: "vless" as const, security: "reality" as const, reality };
    store
      .getState()
      .edit(() => ({ nodes: [{ key: "in", kind: "entry", node_id: "n1", params: { listener } }], edges: [] }));
    const editor = { flow, store, problems: [], changes: [], changed: new Set<string>(), closed: undefined };
    const Form = () => {
      const drawing = useStore(store, (state) => state.drawing);
      return <ListenerForm block={drawing.nodes[0]!} path="params.listener" />;
    };
    await renderApp(
      <Modules value={[picking]}>
        <EditorProvider value={editor}>
          <Form />
        </EditorProvider>
      </Modules>,
      { path: "/flows/f-europe/graph", queries: panel.queries },
    );
    const drawn = () => store.getState().drawing.nodes[0]!.params!.listener!.reality;
    await userEvent.click(await screen.findByText("pick for n1 in place of a.example.org:443"));
    expect(drawn()).toEqual({
      target: "b.example.org:443",
      server_names: ["b.example.org"],
      short_ids: ["aa"],
      target_result_id: "r1",
    });
    expect(screen.getByText(/^Taken from a search/)).toBeInTheDocument();
    await userEvent.type(screen.getByLabelText("REALITY target"), "4");
    expect(drawn()).toEqual({ target: "b.example.org:4434", server_names: ["b.example.org"], short_ids: ["aa"] });
  });
});
