import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { renderApp } from "@/testing/render-app";
import { ago, makeSignal, nodeId, pageOf, serve, userRef } from "../testing";
import SignalsPage from "./signals-page";
import { filterOf } from "./signals-search";

const draw = async (served: ReturnType<typeof serve>, path = "/abuse/signals") =>
  renderApp(<SignalsPage />, { queries: served.queries, route: "/abuse/signals", path });

const row = async (name: string) => within((await screen.findByText(name)).closest("tr")!);

describe("the list of signals", () => {
  it("says what was done towards what, by whom, and how hard the proof is", async () => {
    await draw(serve({ "GET /signals": pageOf(makeSignal()) }));
    const signal = await row("tracker.example.org:6969");
    expect(signal.getByRole("button", { name: "Torrent" })).toBeInTheDocument();
    expect(signal.getByRole("link", { name: "anna's phone" })).toHaveAttribute(
      "href",
      `/abuse/subjects/${encodeURIComponent(userRef)}`,
    );
    expect(signal.getByText("Sure")).toHaveTextContent("95 %");
    expect(signal.getByText("41")).toBeInTheDocument();
  });

  it("names a user whose client is gone by its reference", async () => {
    await draw(serve({ "GET /signals": pageOf(makeSignal({ user_label: "" })) }));
    expect(await screen.findByTitle("The client is gone")).toHaveTextContent("c:01890000-0…");
  });

  it("offers nodes and users that stand in the list as filters, and keeps them in the address", async () => {
    const { address } = await draw(serve({ "GET /signals": pageOf(makeSignal()) }));
    await screen.findByText("tracker.example.org:6969");
    await userEvent.click(screen.getByRole("button", { name: "Filters" }));
    await userEvent.click(await screen.findByRole("combobox", { name: "Node" }));
    await userEvent.click(await screen.findByRole("option", { name: "fra-02" }));
    await waitFor(() => expect(address()).toContain(`node_id=${nodeId}`));
  });

  it("says that none matches a filter, and takes it off", async () => {
    const { address } = await draw(serve({ "GET /signals": pageOf() }), "/abuse/signals?kind=port_scan");
    expect(await screen.findByText("No signal matches")).toBeInTheDocument();
    await userEvent.click(screen.getByRole("button", { name: "Clear filters" }));
    await waitFor(() => expect(address()).toBe("/abuse/signals"));
    expect(await screen.findByText("No signals")).toBeInTheDocument();
  });

  it("says which key is missing where it may not be read", async () => {
    const refused = { status: 403, body: { status: 403, code: "permission_denied", required: ["abuse.view"] } };
    await draw(serve({ "GET /signals": refused }, []));
    expect(await screen.findByText("You have no access to this page")).toBeInTheDocument();
    expect(screen.getByText("abuse.view")).toBeInTheDocument();
  });

  it("can be asked again after a failure", async () => {
    const busy = { status: 503, body: { status: 503, code: "unavailable" } };
    await draw(serve({ "GET /signals": [busy, pageOf(makeSignal())] }));
    await userEvent.click(await screen.findByRole("button", { name: "Retry" }));
    expect(await screen.findByText("tracker.example.org:6969")).toBeInTheDocument();
  });
});

describe("the evidence of a signal", () => {
  const open = async (change: Parameters<typeof makeSignal>[0], ...rest: [string[]?, object?]) => {
    await draw(serve({ "GET /signals": pageOf(makeSignal(change)) }, ...rest));
    await userEvent.click(await screen.findByRole("button", { name: "Torrent" }));
    return within(await screen.findByRole("dialog"));
  };

  it("tells how it was found, in the agent's words, and that the address is not kept", async () => {
    const drawer = await open({});
    expect(drawer.getByText(/recognised the protocol by its first bytes/)).toBeInTheDocument();
    expect(drawer.getByText("BitTorrent handshake")).toBeInTheDocument();
    expect(drawer.getByText("AS12389, Russia, the address is not kept")).toBeInTheDocument();
  });

  it("shows the address of a user with an open case, and what the core has done", async () => {
    const source = { ip: "198.51.100.7", prefix_hash: "", asn: 0, country: "" };
    const drawer = await open({ source, action: { blocked: true, will_unblock_at: null } });
    expect(drawer.getByText("198.51.100.7")).toBeInTheDocument();
    expect(drawer.getByText("blocked by the core")).toBeInTheDocument();
  });

  it("stays readable without the right to change, and in read-only mode; only the act is closed", async () => {
    const drawer = await open({}, ["abuse.view"]);
    expect(drawer.getByRole("button", { name: "Allow…" })).toHaveAttribute("aria-disabled", "true");
    expect(drawer.getByText("Needs the permission abuse.manage")).toBeInTheDocument();
  });

  it("says so when the plan lacks the feature", async () => {
    const drawer = await open({}, ["*"], { features: { enabled: [], blocked: ["abuse"] } });
    expect(drawer.getByText("Not in the plan Fleet 50")).toBeInTheDocument();
  });
});

describe("what the panel is asked for", () => {
  const now = Date.parse("2026-03-11T12:34:56Z");

  it("begins at a whole hour, so that drawing again asks for the same", () => {
    expect(filterOf({ span: "day" } as never, now).from).toBe("2026-03-10T12:00:00.000Z");
    expect(filterOf({ span: "day" } as never, now + 60_000).from).toBe("2026-03-10T12:00:00.000Z");
  });

  it("turns a word for certainty into the least that counts", () => {
    expect(filterOf({ certain: "high", allowed: "yes" } as never, now)).toEqual({
      sort: "-last_at",
      min_confidence: 0.8,
      allowed: true,
    });
  });
});

it("shows signals of long ago with their age", async () => {
  await draw(serve({ "GET /signals": pageOf(makeSignal({ last_at: ago(3 * 86_400) })) }));
  expect(await screen.findByText("3 d ago")).toBeInTheDocument();
});
