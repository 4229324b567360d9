import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { makeNode } from "@/testing/fixtures";
import { renderApp } from "@/testing/render-app";
import { bindingId, inDays, makeBinding, pageOf, serve } from "../testing";
import BindingsPage from "./bindings-page";

const nodeId = makeBinding().node_id;
const flowId = makeBinding().used_by_flows[0]!;

const base = () => ({
  "GET /node-domains": pageOf(makeBinding()),
  [`GET /node-domains/${bindingId}`]: { body: makeBinding() },
  "GET /nodes/brief": { body: { nodes: [{ id: nodeId, name: makeNode().name }] } },
  [`GET /connection-units/${flowId}`]: { body: { id: flowId, name: "Office" } },
});

async function page(more: Parameters<typeof serve>[0] = {}, { permissions = ["*"], path = "/" } = {}) {
  const panel = serve({ ...base(), ...more }, permissions);
  const drawn = await renderApp(<BindingsPage />, { queries: panel.queries, path });
  return { ...panel, ...drawn };
}

describe("binding a host name", () => {
  const open = async (permissions?: string[]) => {
    const bound = makeBinding({ id: "new", hostname: "fra-02.example.net" });
    const panel = await page(
      { "POST /node-domains": { status: 201, body: bound }, "GET /node-domains/new": { body: bound } },
      permissions && { permissions },
    );
    return { ...panel, button: await screen.findByRole("button", { name: /Bind host name/ }) };
  };

  it("takes a node that is found by its name, and opens what was bound", async () => {
    const { asked, button, address } = await open();
    await userEvent.click(button);
    const dialog = await screen.findByRole("dialog");
    const bind = () => within(dialog).getByRole("button", { name: /^Bind/ });
    expect(bind()).toHaveAccessibleDescription("Choose a node first");
    await userEvent.click(within(dialog).getByRole("combobox", { name: "Node" }));
    await userEvent.click(await screen.findByRole("option", { name: "fra-02" }));
    expect(bind()).toHaveAccessibleDescription("Write the domain first");
    await userEvent.type(within(dialog).getByRole("textbox", { name: "Domain" }), "example.net");
    await userEvent.click(bind());
    await waitFor(() => expect(address()).toContain("open=new"));
    const sent = asked.find(({ method, path }) => method === "POST" && path === "/node-domains");
    expect(sent?.body).toEqual({ node_id: nodeId, zone: "example.net", mode: "direct" });
  });

  it("is closed, with the reason, to who may only read", async () => {
    const { button } = await open(["nodes.view", "dns.view"]);
    expect(button).toHaveAccessibleDescription(/nodes\.edit/);
  });
});

describe("host names", () => {
  it("show node, mode, where they lead, certificate and use", async () => {
    await page();
    const row = (await screen.findAllByRole("row"))[1]!;
    expect(row).toHaveTextContent("fra-02.example.com");
    expect(await within(row).findByRole("link", { name: "fra-02" })).toHaveAttribute(
      "href",
      `/nodes/${nodeId}?tab=domains`,
    );
    expect(row).toHaveTextContent("direct");
    expect(row).toHaveTextContent("Leads to the node");
    expect(row).toHaveTextContent("Valid60 days left");
    expect(row).toHaveTextContent("1 flow");
  });

  it("say which node they move to with the next apply, in the list and opened", async () => {
    const moving = makeBinding({ moving_to: "n2" });
    const nodes = [
      { id: nodeId, name: "fra-02" },
      { id: "n2", name: "ams-01" },
    ];
    const { asked } = await page({
      "GET /node-domains": pageOf(moving),
      [`GET /node-domains/${bindingId}`]: { body: moving },
      "GET /nodes/brief": { body: { nodes } },
    });
    const [, row] = await screen.findAllByRole("row");
    expect(await within(row!).findByRole("link", { name: "ams-01" })).toHaveAttribute("href", "/nodes/n2?tab=domains");
    expect(row).toHaveTextContent("fra-02moves to ams-01");
    expect(asked.filter(({ path }) => path.startsWith("/nodes"))).toHaveLength(1);
    await userEvent.click(within(row!).getByRole("button", { name: moving.hostname }));
    const drawer = await screen.findByRole("dialog");
    expect(await within(drawer).findByRole("link", { name: "ams-01" })).toBeInTheDocument();
    expect(drawer).toHaveTextContent("moves to ams-01");
  });

  it("ask for the names of all their nodes at once", async () => {
    const bindings = Array.from({ length: 50 }, (_, at) => {
      const end = String(at).padStart(2, "0");
      return makeBinding({ id: `b${end}`, node_id: `n${end}`, hostname: `n${end}.example.com` });
    });
    const nodes = bindings.map(({ node_id: id }) => ({ id, name: `node ${id}` }));
    const { asked } = await page({ "GET /node-domains": pageOf(...bindings), "GET /nodes/brief": { body: { nodes } } });
    expect(await screen.findByRole("link", { name: "node n49" })).toBeInTheDocument();
    expect(asked.filter(({ path }) => path.startsWith("/nodes"))).toHaveLength(1);
  });

  it("tell what stands at the CDN in front of a node", async () => {
    const cdn = {
      integration_id: null,
      kind: "bunny",
      resource_id: "7",
      cname: "panel-1.b-cdn.net",
      origin_host: "203.0.113.7",
      origin_port: 443,
      state: "ready" as const,
    };
    const binding = makeBinding({ mode: "cdn", cdn });
    await page({ "GET /node-domains": pageOf(binding), [`GET /node-domains/${bindingId}`]: { body: binding } });
    await userEvent.click(await screen.findByRole("button", { name: "fra-02.example.com" }));
    const drawer = await screen.findByRole("dialog");
    expect(await within(drawer).findByText("bunny.net", { exact: false })).toHaveTextContent(
      "bunny.net, panel-1.b-cdn.net → 203.0.113.7",
    );
    expect(within(drawer).getByText("Ready")).toBeInTheDocument();
  });

  it("tell all states of DNS apart", async () => {
    const states = ["pending", "propagating", "ok", "mismatch", "error"] as const;
    await page({
      "GET /node-domains": pageOf(...states.map((dns_state) => makeBinding({ id: dns_state, dns_state }))),
    });
    const rows = (await screen.findAllByRole("row")).slice(1);
    const words = ["Not checked yet", "Propagating", "Leads to the node", "Leads elsewhere", "Check failed"];
    words.forEach((word, index) => expect(rows[index]).toHaveTextContent(word));
  });

  it("are found by a part, which stands in the address", async () => {
    const { asked, address } = await page();
    await userEvent.type(await screen.findByLabelText("Find a host name"), "fra");
    await expect.poll(address).toContain("q=fra");
    await expect.poll(() => asked.filter(({ path }) => path === "/node-domains").length).toBeGreaterThan(1);
  });

  it("say where they are bound, as long as there is none", async () => {
    await page({ "GET /node-domains": pageOf() });
    expect(await screen.findByText("No host name is bound")).toBeInTheDocument();
    expect(screen.getByRole("link", { name: "Open nodes" })).toBeInTheDocument();
  });

  it("are left out for whoever may see certificates alone", async () => {
    const { address } = await page({}, { permissions: ["dns.view"] });
    await expect.poll(address).toBe("/domains/certificates");
  });
});

describe("one host name", () => {
  const open = { path: `/?open=${bindingId}` };

  it("opens with its record, what it resolves to, and the flows by name", async () => {
    await page({}, open);
    const drawer = within(await screen.findByRole("dialog", { name: "Host name" }));
    expect(await drawer.findByRole("heading", { name: "fra-02.example.com" })).toBeInTheDocument();
    expect(drawer.getByText("203.0.113.52")).toBeInTheDocument();
    expect(await drawer.findByRole("link", { name: "Office" })).toHaveAttribute("href", `/flows/${flowId}`);
    expect(drawer.getByText(/TTL 5 min/)).toBeInTheDocument();
  });

  it("gets its first certificate, or says in words why not", async () => {
    const none = { state: "none" as const, issuer: "", challenge: "", not_after: null, last_error: "" };
    const { written } = await page(
      {
        [`GET /node-domains/${bindingId}`]: { body: makeBinding({ certificate: none }) },
        [`POST /node-domains/${bindingId}/renew-certificate`]: {
          status: 422,
          body: { status: 422, code: "certificate_zone_unknown" },
        },
      },
      open,
    );
    await userEvent.click(await screen.findByRole("button", { name: "Order certificate" }));
    expect(await screen.findByText(/^No DNS integration holds the zone/)).toBeInTheDocument();
    expect(written()).toHaveLength(1);
  });

  it("with a certificate of the operator's own is not renewed by the panel", async () => {
    const own = { state: "valid" as const, issuer: "Own CA", challenge: "", not_after: inDays(100), last_error: "" };
    await page({ [`GET /node-domains/${bindingId}`]: { body: makeBinding({ certificate: own }) } }, open);
    expect(await screen.findByText(/Own CA/)).toBeInTheDocument();
    expect(screen.queryByRole("button", { name: "Renew now" })).not.toBeInTheDocument();
  });
});
