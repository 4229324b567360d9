import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { makeNode } from "@/testing/fixtures";
import { renderApp } from "@/testing/render-app";
import { NodeView } from "./node-view";

const acts = { maintain: () => undefined, restart: () => undefined, remove: () => undefined };

it("names the address that the agent of a healthy node dials instead of the panel's own", async () => {
  const node = makeNode({
    reasons: ["panel_address"],
    agent: { ...makeNode().agent, panel_url: "http://203.0.113.1:8080" },
  });
  await renderApp(
    <NodeView node={node} tab="settings" range="1h" onRange={() => undefined} block={undefined} acts={acts} />,
  );
  expect(
    await screen.findByText(
      /^The agent dials the panel at http:\/\/203\.0\.113\.1:8080, PANEL_PUBLIC_URL says another address/,
    ),
  ).toBeInTheDocument();
});
