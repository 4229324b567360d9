import { screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { renderApp } from "@/testing/render-app";
import type { Share } from "../../shared/api";
import { fakeState } from "../../testing/fake-panel";
import { fakeFlow } from "../../testing/samples";
import { serveFake } from "../../testing/serve-fake";
import { createDraftStore } from "../draft/draft-store";
import { EditorProvider } from "../editor-context";
import { SharedPort } from "./shared-port";

async function open(sharing: Share[]) {
  const flow = fakeFlow();
  const panel = serveFake(fakeState({ flows: [flow] }));
  const editor = {
    flow,
    store: createDraftStore(),
    problems: [],
    changes: [],
    changed: new Set<string>(),
    sharing,
    closed: undefined,
  };
  const block = (
    <EditorProvider value={editor}>
      <p>the entry</p>
      <SharedPort block="in" />
    </EditorProvider>
  );
  await renderApp(block, { path: "/flows/f-europe/graph", queries: panel.queries });
  await screen.findByText("the entry");
  return flow;
}

const share = (over: Partial<Share>): Share => ({
  block: "in",
  node_id: "n",
  port: 443,
  by: "host",
  host: "b.example.org",
  with: { flow_id: fakeFlow().id, listener: "theirs" },
  ...over,
});

describe("who has the same port", () => {
  it("is said with the flow's name and what tells them apart", async () => {
    const flow = await open([
      share({}),
      share({ by: "path", host: "a.example.org", with: { flow_id: "0190a-gone77" } }),
    ]);
    expect(
      await screen.findByText(new RegExp(`Shares port 443 with the flow ${flow.name} by host name`)),
    ).toBeVisible();
    expect(screen.getByText(/Shares port 443 and a\.example\.org with the flow gone77/)).toBeVisible();
  });

  it("is not said of an entry that has its port alone", async () => {
    await open([share({ block: "other" })]);
    expect(screen.queryByRole("list", { name: "Other flows on this port" })).toBeNull();
  });
});
