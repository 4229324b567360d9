import { screen } from "@testing-library/react";
import user from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import { QueryClient } from "@tanstack/react-query";
import { meQuery } from "@/api/access";
import { api } from "@/api/client";
import { beginSession } from "@/api/session";
import { makeMe, makeNode } from "@/testing/fixtures";
import { renderApp } from "@/testing/render-app";
import { DomainsTab } from "./domains-tab";

const domain = (hostname: string, used_by_flows: string[]) => ({
  id: hostname,
  hostname,
  mode: "cdn",
  dns_state: "mismatch",
  record: { type: "A", ttl: 300, proxied: false },
  resolved_ips: ["198.51.100.7"],
  cdn: { integration_id: null, kind: "bunny", resource_id: "7", cname: "", origin_host: "", state: "provisioning" },
  certificate: {
    state: "expiring",
    not_after: new Date(Date.now() + 9.5 * 86_400_000).toISOString(),
    issuer: "Let's Encrypt",
    last_error: "",
    challenge: "",
  },
  used_by_flows,
});

afterEach(() => vi.restoreAllMocks());

async function open() {
  const items = [domain("office.example.net", ["f-1", "f-2"]), domain("idle.example.net", [])];
  vi.spyOn(api, "GET").mockResolvedValue({ data: { items }, response: new Response(null, { status: 200 }) } as never);
  await renderApp(<DomainsTab node={makeNode()} block={undefined} />);
}

it("tells which domains flows use, and keeps those", async () => {
  await open();
  expect(await screen.findByText("in 2 flows")).toBeInTheDocument();
  expect(screen.getByRole("button", { name: "Remove office.example.net" })).toHaveAttribute("aria-disabled", "true");
  expect(screen.getByRole("button", { name: "Remove idle.example.net" })).not.toHaveAttribute("aria-disabled");
});

it("tells a name that is taken from one that a flow uses", async () => {
  const refused = {
    error: { status: 409, code: "domain_conflict", detail: "" },
    response: new Response(null, { status: 409 }),
  };
  vi.spyOn(api, "POST").mockResolvedValue(refused as never);
  vi.spyOn(api, "DELETE").mockResolvedValue(refused as never);
  await open();
  await user.type(await screen.findByLabelText(/^Domain/), "example.net");
  await user.click(screen.getByRole("button", { name: "Bind" }));
  expect(await screen.findByText(/^This name already leads to a node/)).toBeInTheDocument();
  await user.click(screen.getByRole("button", { name: "Remove idle.example.net" }));
  await user.click(await screen.findByRole("button", { name: "Remove" }));
  expect(await screen.findByText(/^A flow already uses this domain/)).toBeInTheDocument();
});

it("tells what is known of a name: its mode, what DNS answers, and when its certificate ends", async () => {
  await open();
  expect(await screen.findAllByText("Leads elsewhere")).toHaveLength(2);
  expect(screen.getAllByText("through CDN").length).toBeGreaterThan(1);
  expect(screen.getAllByText("198.51.100.7")).toHaveLength(2);
  expect(screen.getAllByText("Expires soon")).toHaveLength(2);
  expect(screen.getAllByText(/until .*, 9 days left, Let's Encrypt/)).toHaveLength(2);
  expect(screen.getByRole("link", { name: "idle.example.net" })).toHaveAttribute(
    "href",
    "/domains?open=idle.example.net",
  );
});

it("binds a name that leads through an account at a CDN", async () => {
  beginSession("ps_test");
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  queries.setQueryDefaults(["accounts"], { staleTime: Infinity });
  queries.setQueryData(meQuery.queryKey, makeMe(["*"]));
  const answers: Record<string, unknown> = {
    "/api/v1/dns/providers": [{ name: "bunny", title: "bunny.net", cdn: true, fields: [] }],
    "/api/v1/dns/integrations": [
      { id: "c-1", provider: "bunny", label: "Edge" },
      { id: "d-1", provider: "cloudflare", label: "Zones" },
    ],
  };
  vi.spyOn(api, "GET").mockImplementation(((path: string) =>
    Promise.resolve({
      data: { items: answers[path] ?? [] },
      response: new Response(null, { status: 200 }),
    })) as never);
  const bind = vi
    .spyOn(api, "POST")
    .mockResolvedValue({ data: domain("a.example.net", []), response: new Response(null, { status: 201 }) } as never);
  await renderApp(<DomainsTab node={makeNode()} block={undefined} />, { queries });
  await user.type(await screen.findByLabelText(/^Domain/), "example.net");
  await user.click(screen.getByRole("combobox", { name: /^Mode/ }));
  await user.click(await screen.findByRole("option", { name: "through CDN" }));
  await user.click(await screen.findByRole("combobox", { name: /^CDN/ }));
  expect(screen.queryByRole("option", { name: /Zones/ })).not.toBeInTheDocument();
  await user.click(await screen.findByRole("option", { name: "Edge (bunny.net)" }));
  await user.click(screen.getByRole("button", { name: "Bind" }));
  await expect.poll(() => bind.mock.calls.length).toBe(1);
  expect(bind.mock.calls[0]![1]).toMatchObject({
    body: { zone: "example.net", mode: "cdn", cdn_integration_id: "c-1" },
  });
});
