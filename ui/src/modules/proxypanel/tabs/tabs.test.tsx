import { screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { renderApp } from "@/testing/render-app";
import {
  adopted,
  connectionId,
  makeConnection,
  makeHost,
  makeMapped,
  nodeId,
  pageOf,
  panelNodeId,
  serve,
} from "../testing";
import FlowTab from "./flow-tab";
import NodeTab from "./node-tab";

const under = `/proxypanel/connections/${connectionId}`;
const [flowId] = adopted!.flow_ids as [string];

const there = {
  id: panelNodeId,
  name: "edge-1",
  users_online: 3,
  traffic_used: 2048,
};

const fleet = {
  "GET /proxypanel/connections": pageOf(makeConnection()),
  [`GET ${under}/mapping`]: { body: { items: [makeMapped({ mapping: adopted, proposal: null })] } },
  [`GET ${under}/nodes`]: pageOf(there),
};

describe("on the page of a node", () => {
  it("stands which node of a proxy panel it is, who is on it, and which flows it serves", async () => {
    const { queries } = serve({ ...fleet, [`GET /connection-units/${flowId}`]: { body: { name: "Office" } } });
    await renderApp(<NodeTab id={nodeId} />, { queries });
    expect(await screen.findByText("edge-1")).toBeInTheDocument();
    expect(await screen.findByText(/^3 users online, 2/)).toBeInTheDocument();
    expect(await screen.findByRole("link", { name: "Office" })).toHaveAttribute("href", `/flows/${flowId}`);
  });

  it("a flow that may not be seen is a number", async () => {
    const { queries } = serve(fleet);
    await renderApp(<NodeTab id={nodeId} />, { queries });
    expect(await screen.findByRole("link", { name: "flow 1" })).toBeInTheDocument();
  });

  it("of no proxy panel says so", async () => {
    const { queries } = serve(fleet);
    await renderApp(<NodeTab id="another" />, { queries });
    expect(await screen.findByText("No node of a proxy panel runs here")).toBeInTheDocument();
  });
});

describe("on the page of a flow", () => {
  it("stand the hosts that users are shown, of its own inbounds alone", async () => {
    const { queries } = serve({
      ...fleet,
      [`GET ${under}/inbounds`]: pageOf({ id: "i1", name: `flow.${flowId}.in.entry` }, { id: "i2", name: "Old" }),
      [`GET ${under}/hosts`]: pageOf(
        makeHost({ id: "h1", name: "Ours", inbound_id: "i1" }),
        makeHost({ id: "h2", name: "Theirs", inbound_id: "i2" }),
      ),
    });
    await renderApp(<FlowTab id={flowId} />, { queries });
    expect(await screen.findByText("Ours, ams.example.com:443")).toBeInTheDocument();
    expect(screen.queryByText(/^Theirs/)).not.toBeInTheDocument();
  });
});
