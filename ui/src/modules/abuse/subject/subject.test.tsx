import { screen, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { renderApp } from "@/testing/render-app";
import { ago, makeDiversity, makeNetwork, makeSignal, makeWindow, nodeId, pageOf, serve, userRef } from "../testing";
import ClientPart from "./client-part";
import { NetworksCard } from "./networks-card";
import { seriesOf } from "./sources-chart";
import SubjectPage from "./subject-page";
import { placeOf, signsOf, ticksOf, tracksOf, usualNetworks } from "./tracks";

// A canvas is nothing that jsdom has.
vi.mock("@/components/chart/chart-plot", () => ({
  makePlot: () => ({ setData: vi.fn(), setSize: vi.fn(), redraw: vi.fn(), destroy: vi.fn() }),
}));

const path = `/abuse/subjects/${encodeURIComponent(userRef)}`;
const asked = `GET /users/${encodeURIComponent(userRef)}/diversity`;

const hosting = (change: object = {}) =>
  makeNetwork({ asn: 24940, name: "Hetzner", kind: "hosting", country: "DE", city: "Falkenstein", ...change });

describe("sessions by network", () => {
  it("joins windows that follow each other, and parts those with a gap", () => {
    const at = Date.parse("2026-03-11T12:00:00Z");
    const window = (minutes: number) => makeWindow(0, { at: new Date(at - minutes * 60_000).toISOString() });
    const [track] = tracksOf(
      makeDiversity({
        to: new Date(at).toISOString(),
        networks: [makeNetwork({ first_at: "2026-03-01T00:00:00Z", last_at: new Date(at).toISOString() })],
        windows: [window(60), window(20), window(15), window(10)],
      }),
    );
    expect(track!.spans.map(({ from, to }) => [(from - at) / 60_000, (to - at) / 60_000])).toEqual([
      [-60, -55],
      [-20, -5],
    ]);
  });

  it("tells usual networks, those of machines, and those that nobody saw before", () => {
    const networks = [
      makeNetwork(),
      hosting({ first_at: ago(900) }),
      makeNetwork({ asn: 15895, name: "Kyivstar", kind: "mobile", country: "UA", city: "", first_at: ago(900) }),
    ];
    const asns = networks.map(({ asn }) => asn);
    const diversity = makeDiversity({
      networks,
      windows: [makeWindow(600, { asns, countries: ["RU", "DE", "UA"] })],
    });
    expect(tracksOf(diversity, diversity).map(({ network, sort }) => [network.name, sort])).toEqual([
      ["Rostelecom", "usual"],
      ["Hetzner", "hosting"],
      ["Kyivstar", "new"],
    ]);
    expect(usualNetworks(diversity).map(({ name }) => name)).toEqual(["Rostelecom"]);
  });

  it("calls nothing new of a user whom nobody knew before the last day", () => {
    const diversity = makeDiversity({
      networks: [makeNetwork({ first_at: ago(900) })],
      windows: [makeWindow(600)],
    });
    expect(tracksOf(diversity, diversity)[0]!.sort).toBe("usual");
    expect(tracksOf(diversity)[0]!.sort).toBe("usual");
  });

  it("keeps one company's networks of two countries apart", () => {
    const of = (country: string) => makeNetwork({ country, city: "" });
    const diversity = makeDiversity({
      networks: [of("RU"), of("KZ")],
      windows: [makeWindow(900), makeWindow(600, { countries: ["KZ"] })],
    });
    expect(tracksOf(diversity).map(({ network, spans }) => [network.country, spans.length])).toEqual([
      ["RU", 1],
      ["KZ", 1],
    ]);
  });

  it("draws whole six hours and puts a moment at its share of the day", () => {
    const from = Date.parse("2026-03-10T13:00:00Z");
    expect(ticksOf(from, from + 86_400_000)).toHaveLength(4);
    expect(placeOf(from + 21_600_000, { from, to: from + 86_400_000 })).toBe(25);
    expect(placeOf(from - 1, { from, to: from + 1 })).toBe(0);
  });

  it("says the times to who listens, and numbers what was found", async () => {
    const data = makeDiversity({ networks: [makeNetwork({ nat: true })] });
    await renderApp(
      <NetworksCard state={{ kind: "ready", data }} week={undefined} marks={[{ at: ago(700), number: 1 }]} />,
    );
    const card = within(await screen.findByRole("region", { name: "Sessions by network" }));
    expect(card.getByText("Moscow, RU, carrier NAT")).toBeInTheDocument();
    expect(card.getByText(/^usual: \d\d:\d\d–\d\d:\d\d$/)).toBeInTheDocument();
    expect(card.getByText("1")).toBeInTheDocument();
  });

  it("gives findings that would cover one another one sign", () => {
    const to = Date.now();
    const marks = [3_600, 3_590, 3_580, 600].map((seconds, index) => ({ at: ago(seconds), number: index + 1 }));
    expect(signsOf(marks, { from: to - 86_400_000, to }).map(({ text }) => text)).toEqual(["1–4"]);
    expect(signsOf(marks, { from: to - 7_200_000, to }).map(({ text }) => text)).toEqual(["1–3", "4"]);
  });

  it("leaves out what was found before the day that is drawn", async () => {
    const state = { kind: "ready" as const, data: makeDiversity() };
    await renderApp(<NetworksCard state={state} week={undefined} marks={[{ at: ago(3 * 86_400), number: 7 }]} />);
    await screen.findByText("Rostelecom");
    expect(screen.queryByText("7")).not.toBeInTheDocument();
  });

  it("says that nothing was told", async () => {
    const state = { kind: "ready" as const, data: makeDiversity({ networks: [], windows: [] }) };
    await renderApp(<NetworksCard state={state} week={undefined} />);
    expect(await screen.findByText("No sessions were reported in the last 24 hours.")).toBeInTheDocument();
  });
});

describe("the page of a user", () => {
  const draw = async (replies: Parameters<typeof serve>[0], permissions?: string[]) => {
    const { queries } = serve(replies, permissions);
    return renderApp(<SubjectPage />, { queries, route: "/abuse/subjects/$ref", path });
  };

  it("shows from where it is connected, what is usual, and its signals", async () => {
    await draw({ [asked]: { body: makeDiversity() }, "GET /signals": pageOf(makeSignal()) });
    expect(await screen.findByRole("heading", { name: "anna's phone", level: 1 })).toBeInTheDocument();
    expect(screen.getByText("1 source")).toBeInTheDocument();
    expect(screen.getByText("2 sources")).toBeInTheDocument();
    expect(await screen.findByText("tracker.example.org:6969")).toBeInTheDocument();
  });

  it("leads to the client, where that may be seen", async () => {
    await draw({ [asked]: { body: makeDiversity() }, "GET /signals": pageOf() });
    expect(await screen.findByRole("link", { name: "Open the client" })).toHaveAttribute(
      "href",
      `/clients/${userRef.slice(2)}`,
    );
  });

  it("leads nowhere that may not be seen", async () => {
    await draw({ [asked]: { body: makeDiversity() }, "GET /signals": pageOf() }, ["abuse.view"]);
    await screen.findByRole("heading", { name: "anna's phone", level: 1 });
    expect(screen.queryByRole("link", { name: "Open the client" })).not.toBeInTheDocument();
    expect(screen.getByRole("button", { name: "Allow…" })).toHaveAttribute("aria-disabled", "true");
  });

  it("says what agents do not see, so that nobody takes it for zero", async () => {
    const seen = { node_id: nodeId, node_name: "ams-01" };
    const unseen = [
      { ...seen, inbound_tag: "in-443", source: "stats_api" as const, reason: "not_seen_whole" as const },
      { ...seen, inbound_tag: "panel", source: "" as const, reason: "proxy_panel_serves" as const },
    ];
    await draw({ [asked]: { body: makeDiversity({ unseen }) }, "GET /signals": pageOf() });
    const card = within(await screen.findByRole("region", { name: "Not seen" }));
    expect(card.getAllByText("ams-01")).toHaveLength(2);
    expect(card.getByText("only counters of the core")).toBeInTheDocument();
    expect(card.getByText("a proxy panel serves it: its users are known there alone")).toBeInTheDocument();
  });

  it("says that nothing is known of a user", async () => {
    await draw({ "GET /signals": pageOf() });
    expect(await screen.findByText("What is known of the user could not be read")).toBeInTheDocument();
  });
});

describe("the course of sources", () => {
  it("is the most of each part, and a gap where nobody saw anything", () => {
    const from = "2026-03-04T12:00:00Z";
    const at = (minutes: number) => new Date(Date.parse(from) + minutes * 60_000).toISOString();
    const { times, sources, concurrent } = seriesOf(
      makeDiversity({
        from,
        to: "2026-03-11T12:00:00Z",
        windows: [
          makeWindow(0, { at: at(0), sources: 2, max_concurrent: 1 }),
          makeWindow(0, { at: at(5), sources: 7, max_concurrent: 3 }),
        ],
      }),
    );
    expect(times).toHaveLength(337);
    expect(sources.slice(0, 2)).toEqual([7, null]);
    expect(concurrent[0]).toBe(3);
  });
});

it("the page of a client tells its signals and leads to all that is known", async () => {
  const { queries } = serve({ "GET /signals": pageOf(makeSignal(), makeSignal({ id: "2" })) });
  await renderApp(<ClientPart id={userRef.slice(2)} />, { queries });
  expect(await screen.findByText("2 signals in the last 7 days.")).toBeInTheDocument();
  expect(screen.getByRole("link", { name: "Sessions and signals" })).toHaveAttribute("href", path);
});
