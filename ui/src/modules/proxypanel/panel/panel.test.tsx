import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { describe, expect, it } from "vitest";
import { renderApp } from "@/testing/render-app";
import {
  adopted,
  connectionId,
  makeConnection,
  makeDrift,
  makeHost,
  makeMapped,
  makeSync,
  makeUser,
  nodeId,
  pageOf,
  panelNodeId,
  serve,
} from "../testing";
import DriftPage from "./drift-page";
import HostsPage from "./hosts-page";
import NodesPage from "./nodes-page";
import SyncsPage from "./syncs-page";
import UsersPage from "./users-page";
import { makeSecret } from "./webhook-card";

const under = `/proxypanel/connections/${connectionId}`;

async function page(
  view: ReactNode,
  replies: Parameters<typeof serve>[0],
  { part = "", permissions = ["*"] }: { part?: string; permissions?: string[] } = {},
) {
  const served = serve({ [`GET ${under}`]: { body: makeConnection() }, ...replies }, permissions);
  const route = `/proxypanel/$id${part}`;
  const drawn = await renderApp(view, {
    queries: served.queries,
    route,
    path: `/proxypanel/${connectionId}${part}`,
  });
  return { ...served, ...drawn };
}

const rowOf = async (text: string) => within((await screen.findByText(text)).closest("tr")!);

describe("nodes of a proxy panel", () => {
  const mapping = `GET ${under}/mapping`;
  const adopt = `POST ${under}/adopt`;

  it("are adopted as the node that has their address", async () => {
    const { written } = await page(<NodesPage />, {
      [mapping]: { body: { items: [makeMapped()] } },
      "GET /nodes": pageOf({ id: nodeId, name: "ams-01" }),
      [adopt]: { body: makeMapped({ mapping: adopted }) },
    });
    await userEvent.click((await rowOf("edge-1")).getByRole("button", { name: "Adopt as ams-01" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Adopt edge-1?" }));
    expect(dialog.getByText("Nothing changes there now.")).toBeInTheDocument();
    await userEvent.click(dialog.getByRole("button", { name: "Adopt" }));
    await waitFor(() =>
      expect(written()).toEqual([
        {
          method: "POST",
          path: `${under}/adopt`,
          body: { panel_node_id: panelNodeId, node_id: nodeId, replace: false },
        },
      ]),
    );
  });

  it("that run a profile are adopted only when it may be replaced", async () => {
    const { written } = await page(<NodesPage />, {
      [mapping]: { body: { items: [makeMapped({ runs: "Old" })] } },
      "GET /nodes": pageOf({ id: nodeId, name: "ams-01" }),
      [adopt]: { body: makeMapped({ mapping: adopted }) },
    });
    await userEvent.click((await rowOf("edge-1")).getByRole("button", { name: "Adopt as ams-01" }));
    const dialog = within(await screen.findByRole("dialog"));
    expect(dialog.getByRole("button", { name: "Adopt" })).toHaveAttribute("aria-disabled", "true");
    await userEvent.click(dialog.getByRole("checkbox", { name: /^Its profile Old may be replaced/ }));
    await userEvent.click(dialog.getByRole("button", { name: "Adopt" }));
    await waitFor(() => expect(written()[0]!.body).toMatchObject({ replace: true }));
  });

  it("say which of ours they are, what they run instead, and are not released while flows are on them", async () => {
    await page(<NodesPage />, {
      [mapping]: { body: { items: [makeMapped({ mapping: adopted, runs: "panel_0000000b", proposal: null })] } },
    });
    const row = await rowOf("edge-1");
    expect(row.getByRole("link", { name: "ams-01" })).toHaveAttribute("href", `/nodes/${nodeId}`);
    expect(row.getByText("1 flow")).toBeInTheDocument();
    expect(row.getByText("instead of Old")).toBeInTheDocument();
    await userEvent.click(screen.getByRole("button", { name: "Actions for edge-1" }));
    expect(await screen.findByRole("menuitem", { name: "Release" })).toHaveAttribute("data-disabled", "true");
  });

  it("are only looked at without the right", async () => {
    await page(<NodesPage />, { [mapping]: { body: { items: [makeMapped()] } } }, { permissions: ["proxypanel.view"] });
    const button = (await rowOf("edge-1")).getByRole("button", { name: "Adopt as ams-01" });
    expect(button).toHaveAttribute("aria-disabled", "true");
  });
});

describe("what a proxy panel holds", () => {
  it("has its users with what they have used, and by their status", async () => {
    const limited = makeUser({ id: 7, username: "bob", status: "LIMITED", traffic_limit: 2048, traffic_used: 2048 });
    const { asked, address } = await page(
      <UsersPage />,
      { [`GET ${under}/users`]: pageOf(makeUser(), limited), [`GET ${under}/squads`]: pageOf() },
      { part: "/users" },
    );
    expect((await rowOf("alice")).getByText("Active")).toBeInTheDocument();
    expect((await rowOf("bob")).getByText(/^2\S* \S+ of 2/)).toBeInTheDocument();
    await userEvent.click(screen.getByRole("link", { name: "Expired" }));
    await waitFor(() => expect(address()).toContain("view=EXPIRED"));
    expect(asked.some(({ path }) => path === `${under}/users`)).toBe(true);
  });

  it("has hosts that say whether users see them, and which we have made", async () => {
    const ours = makeHost({ id: "h2", name: "Ours", disabled: true, tags: ["MANAGED:ABC"], inbound_id: "i1" });
    await page(
      <HostsPage />,
      {
        [`GET ${under}/hosts`]: pageOf(makeHost(), ours),
        [`GET ${under}/inbounds`]: pageOf({ id: "i1", name: "vless" }),
      },
      { part: "/hosts" },
    );
    expect((await rowOf("Amsterdam")).getByText("inbound is gone")).toBeInTheDocument();
    const row = await rowOf("Ours");
    expect(row.getByText("made here")).toBeInTheDocument();
    expect(row.getByText("Disabled")).toBeInTheDocument();
    expect(await row.findByText("vless")).toBeInTheDocument();
  });
});

describe("synchronisation", () => {
  const runs = `GET ${under}/syncs`;

  it("says what each run found, and why one failed", async () => {
    const failed = makeSync({
      id: "f",
      state: "failed",
      cause: "connection_broken",
      source: "person",
      started_by: "root",
    });
    const full = makeSync({ id: "g", scope: "full", users: 1200, added: 3, gone: 1 });
    await page(<SyncsPage />, { [runs]: pageOf(failed, full) }, { part: "/syncs" });
    const row = await rowOf("Failed");
    expect(row.getByText("root")).toBeInTheDocument();
    expect((await rowOf("3 new, 1 gone")).getByText("read: 12 objects, 1,200 users")).toBeInTheDocument();
  });

  it("is begun by hand", async () => {
    const { written } = await page(
      <SyncsPage />,
      { [runs]: pageOf(makeSync()), [`POST ${under}/sync`]: { status: 202, body: { operation_id: "o" } } },
      { part: "/syncs" },
    );
    await userEvent.click(await screen.findByRole("button", { name: "Sync now" }));
    await waitFor(() => expect(written()).toHaveLength(1));
    expect(screen.getByText("Nothing new")).toBeInTheDocument();
  });

  it("shows the lines that switch webhooks on with a secret that is sent and never read back", async () => {
    const { written } = await page(
      <SyncsPage />,
      { [runs]: pageOf(), [`PUT ${under}/webhook`]: { body: makeConnection() } },
      { part: "/syncs" },
    );
    await userEvent.click(await screen.findByRole("button", { name: "Generate a new secret" }));
    const lines = await screen.findByRole("region", { name: "Lines for .env" });
    const { secret } = written()[0]!.body as { secret: string };
    expect(secret).toMatch(/^[A-Za-z0-9]{64}$/);
    expect(lines).toHaveTextContent(`WEBHOOK_SECRET_HEADER=${secret}`);
    expect(lines).toHaveTextContent(`WEBHOOK_URL=${window.location.origin}${makeConnection().webhook.path}`);
  });

  it("makes another secret each time", () => expect(makeSecret()).not.toBe(makeSecret()));
});

describe("drift", () => {
  const list = `GET ${under}/drift`;

  it("shows written beside there, and writes an object again", async () => {
    const { written } = await page(
      <DriftPage />,
      {
        [list]: {
          body: {
            items: [makeDrift(), makeDrift({ field: "sni", ours: "a.example", theirs: "" })],
            looked_at: makeConnection().checked_at,
          },
        },
        [`POST ${under}/drift/host-1/overwrite`]: { body: { items: [], looked_at: null } },
      },
      { part: "/drift" },
    );
    expect(await screen.findByText("2 fields differ")).toBeInTheDocument();
    const row = await rowOf("port");
    expect(row.getByText("443")).toBeInTheDocument();
    expect(row.getByText("8443")).toBeInTheDocument();
    expect((await rowOf("sni")).getByText("nothing")).toBeInTheDocument();
    expect(screen.queryByRole("button", { name: "Take over" })).not.toBeInTheDocument();
    await userEvent.click(screen.getByRole("button", { name: "Write again" }));
    await userEvent.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Write again" }));
    await waitFor(() => expect(written()[0]!.path).toBe(`${under}/drift/host-1/overwrite`));
  });

  it("of a profile warns that sessions are cut", async () => {
    const drift = makeDrift({ kind: "profile", object: "p", name: "panel_1", adoptable: false });
    await page(<DriftPage />, { [list]: { body: { items: [drift], looked_at: null } } }, { part: "/drift" });
    await userEvent.click(await screen.findByRole("button", { name: "Write again" }));
    expect(await screen.findByText("The core there restarts, and sessions on it are cut.")).toBeInTheDocument();
  });

  it("says the difference between none and not looked yet", async () => {
    await page(<DriftPage />, { [list]: { body: { items: [], looked_at: null } } }, { part: "/drift" });
    expect(await screen.findAllByText("Not compared yet")).toHaveLength(2);
  });
});
