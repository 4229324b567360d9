import { QueryClient } from "@tanstack/react-query";
import { screen, within } from "@testing-library/react";
import { expect, it } from "vitest";
import { meQuery } from "@/api/access";
import { beginSession } from "@/api/session";
import { Modules } from "@/components/slots/contributions";
import { defineModule } from "@/module";
import { makeMe, makeNode } from "@/testing/fixtures";
import { renderApp } from "@/testing/render-app";
import { NodeView } from "./node-view";
import { changedFields } from "./settings-tab";

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

it("says in which country and network the address is, as far as that is known", async () => {
  const look = (node = makeNode()) =>
    renderApp(
      <NodeView node={node} tab="overview" range="1h" onRange={() => undefined} block={undefined} acts={acts} />,
    );
  const { unmount } = await look();
  expect(await screen.findByText("Germany, AS64500 Example Hosting")).toBeInTheDocument();
  unmount();
  await look({ ...makeNode(), place: null as never });
  expect(await screen.findByText("Protocol")).toBeInTheDocument();
  expect(screen.queryByText("Network")).not.toBeInTheDocument();
});

const listener = {
  tag: "in",
  flow_id: "f-1",
  l4: "tcp" as const,
  ip: "0.0.0.0",
  ports: "443",
  sessions: 3,
  up_bps: 1_000_000,
  down_bps: 20_000_000,
};

it("says of each flow what its listeners here carry, and nothing of one that nobody measures", async () => {
  const observed_at = new Date().toISOString();
  const unmeasured = { ...listener, flow_id: "f-2", sessions: null, up_bps: null, down_bps: null, observed_at: null };
  const node = makeNode({
    flow_ids: ["f-1", "f-2"],
    listeners: [
      { ...listener, observed_at },
      { ...listener, tag: "hop", l4: "udp", sessions: null, observed_at },
      unmeasured,
    ],
  });
  await renderApp(
    <NodeView node={node} tab="overview" range="1h" onRange={() => undefined} block={undefined} acts={acts} />,
  );
  const flows = within(await screen.findByRole("list", { name: "Flows on this node" })).getAllByRole("listitem");
  expect(flows[0]).toHaveTextContent(/3 sessions.*40\.0 Mbit\/s to clients.*2\.00 Mbit\/s from clients/);
  expect(flows[0]).toHaveTextContent(
    /443\/tcp3 sessions.*20\.0 Mbit\/s to clients.*443\/udp.*20\.0 Mbit\/s to clients/,
  );
  expect(flows[1]).not.toHaveTextContent(/session|clients/);
});

const added = (key: string, order: number, en: string) => ({
  key,
  order,
  label: { en, ru: en },
  load: () => Promise.resolve({ default: () => null }),
});
const other = defineModule({ name: "other", nodeTabs: [added("events", 90, "Events"), added("flows", 10, "Flows")] });

it("has the tabs of other modules at their place between its own", async () => {
  beginSession("ps_test");
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: Infinity } } });
  queries.setQueryData(meQuery.queryKey, makeMe(["*"]));
  await renderApp(
    <Modules value={[other]}>
      <NodeView node={makeNode({})} tab="none" range="1h" onRange={() => undefined} block={undefined} acts={acts} />
    </Modules>,
    { queries },
  );
  const tabs = within(await screen.findByRole("navigation", { name: "Node" })).getAllByRole("link");
  expect(tabs.map((tab) => tab.textContent)).toEqual(["Overview", "Flows", "Domains", "Agent", "Events", "Settings"]);
});

it("says what the node has carried in its month and how much of its limit that is", async () => {
  const traffic = {
    limit_bytes: 1024 ** 4,
    reset_day: 15,
    notify_pct: 80,
    used_up: 1024 ** 3,
    used_down: 899 * 1024 ** 3,
    used_bytes: 900 * 1024 ** 3,
    since: "2026-11-15T00:00:00Z",
    resets_at: "2026-12-15T00:00:00Z",
  };
  const node = makeNode({ traffic });
  const view = (one: typeof node) => (
    <NodeView node={one} tab="overview" range="1h" onRange={() => undefined} block={undefined} acts={acts} />
  );
  await renderApp(view(node));
  expect(await screen.findByText(/of 1\.00 TB, 87\s?%/)).toBeInTheDocument();
  expect(screen.getByRole("progressbar", { name: "Part of the limit that is used" })).toHaveAttribute(
    "aria-valuenow",
    "87",
  );
  expect(screen.getByText(/begins again 15 Dec/)).toBeInTheDocument();
});

it("sends a limit of traffic with its day and threshold, and nothing while none of them changes", () => {
  const traffic = { limit_bytes: 0, reset_day: 1, notify_pct: 80 };
  const before = { name: "fra-01", traffic } as Parameters<typeof changedFields>[0];
  expect(changedFields({ ...before, traffic: { ...traffic } }, before)).toEqual({});
  const next = { limit_bytes: 1024 ** 4, reset_day: 15, notify_pct: 90 };
  expect(changedFields({ ...before, traffic: next }, before)).toEqual({ traffic: next });
});
