import { screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { renderApp } from "@/testing/render-app";
import { bindingId, inDays, makeBinding, serve } from "../testing";
import type { DnsDetail } from "./api";
import { standsAs } from "./dns-records";
import { DnsSection } from "./dns-section";

const wanted = { type: "A", name: "fra-02.example.com", value: "203.0.113.52", ttl: 300, state: "written" } as const;
const server: DnsDetail["seen"][number] = {
  server: "192.0.2.53:53",
  authoritative: true,
  values: ["203.0.113.52"],
  answer: "same",
};

function makeDns(change: Partial<DnsDetail> = {}): DnsDetail {
  return {
    domain_id: bindingId,
    hostname: makeBinding().hostname,
    state: "ok",
    since: inDays(-1),
    managed: true,
    integration_id: "01890000-0000-7000-8000-0000000000c1",
    wanted: [wanted],
    conflicts: [],
    seen: [server, { ...server, server: "198.51.100.1:5353", authoritative: false }],
    resolved_ips: ["203.0.113.52"],
    last_error: "",
    checked_at: inDays(-0.01),
    next_check_at: inDays(0.01),
    ...change,
  };
}

const path = `/node-domains/${bindingId}`;

async function section(dns: DnsDetail | { status: number }, more: Parameters<typeof serve>[0] = {}) {
  const reply = "status" in dns ? { ...dns, body: { status: 404, code: "not_found" } } : { body: dns };
  const panel = serve({ [`GET ${path}/dns`]: reply, ...more });
  await renderApp(<DnsSection id={bindingId} />, { queries: panel.queries });
  return panel;
}

describe("the DNS of a host name", () => {
  it("shows wanted and actual: whose the record is, and what each server answers", async () => {
    await section(makeDns());
    const list = within(await screen.findByRole("region", { name: "Wanted" }));
    expect(list.getByRole("listitem")).toHaveTextContent("A 203.0.113.52 TTL 5 minmade by the panel");
    expect(screen.getByText(/^An integration holds the zone/)).toBeInTheDocument();
    const zone = within(screen.getByRole("region", { name: "Name servers of the zone" }));
    expect(zone.getByRole("listitem")).toHaveTextContent("192.0.2.53203.0.113.52as wanted");
    const resolvers = within(screen.getByRole("region", { name: "Public resolvers" }));
    expect(resolvers.getByRole("listitem")).toHaveTextContent("198.51.100.1:5353203.0.113.52as wanted");
  });

  it("tells records of somebody else and that they are not touched", async () => {
    await section(
      makeDns({
        state: "mismatch",
        wanted: [{ ...wanted, state: "conflict" }],
        conflicts: [{ type: "CNAME", name: wanted.name, value: "other.example.net" }],
        seen: [{ ...server, answer: "alias", values: ["other.example.net"] }],
      }),
    );
    expect(await screen.findByText("CNAME other.example.net")).toBeInTheDocument();
    expect(screen.getByText(/^The panel does not touch them/)).toBeInTheDocument();
    expect(screen.getByText("blocked")).toBeInTheDocument();
    expect(screen.getByText("Leads elsewhere")).toBeInTheDocument();
  });

  it("tells why a record could not be written", async () => {
    await section(
      makeDns({ state: "error", last_error: "the token was revoked", seen: [{ ...server, answer: "silent" }] }),
    );
    expect(await screen.findByText("the token was revoked")).toBeInTheDocument();
    expect(screen.getByText("no answer")).toBeInTheDocument();
  });

  it("says when it is looked at next, and does not name a moment that has passed", async () => {
    await section(makeDns());
    await screen.findByText("Leads to the node");
    expect(screen.getByRole("region", { name: "DNS" })).toHaveTextContent(/checked .* ago, next check in /);
  });

  it("is about to be looked at when its time has come", async () => {
    await section(makeDns({ next_check_at: inDays(-0.0001) }));
    await screen.findByText("Leads to the node");
    expect(screen.getByRole("region", { name: "DNS" })).toHaveTextContent(/checked .* ago, next check any moment/);
  });

  it("is looked at now, and shows what the look has found", async () => {
    const { written } = await section(makeDns({ state: "mismatch", seen: [] }), {
      [`POST ${path}/check`]: { body: makeDns() },
    });
    expect(await screen.findByText("Leads elsewhere")).toBeInTheDocument();
    await userEvent.click(screen.getByRole("button", { name: "Check now" }));
    expect(await screen.findByText("Leads to the node")).toBeInTheDocument();
    expect(written()).toHaveLength(1);
  });

  it("of somebody else's binding is not shown, in words", async () => {
    await section({ status: 404 });
    expect(await screen.findByText(/^The binding belongs to another account/)).toBeInTheDocument();
  });

  it("asks for an integration where none holds the zone", async () => {
    await section(
      makeDns({ managed: false, integration_id: null, wanted: [{ ...wanted, state: "missing" }], seen: [] }),
    );
    expect(await screen.findByText("make it yourself")).toBeInTheDocument();
    expect(screen.getByRole("link", { name: "Integrations" })).toHaveAttribute("href", "/domains/integrations");
  });
});

it("a record of a zone without an integration stands once a server gives it", () => {
  const missing = { ...wanted, state: "missing" as const };
  expect(standsAs(missing, { managed: false, seen: [] })).toBe("byHand");
  expect(standsAs(missing, { managed: false, seen: [server] })).toBe("seen");
  expect(standsAs(missing, { managed: true, seen: [server] })).toBe("missing");
  expect(standsAs(wanted, { managed: false, seen: [] })).toBe("written");
});
