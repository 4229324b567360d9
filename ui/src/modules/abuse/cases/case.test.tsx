import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { renderApp } from "@/testing/render-app";
import { ago, makeCase, makeDiversity, makeLine, nodeId, pageOf, serve, userRef } from "../testing";
import type { Case } from "./api";
import CasePage from "./case-page";
import { numbered } from "./evidence-card";

const { id } = makeCase();
const thresholds = { settings: { thresholds: { warn: 40, limit: 70, block: 110 } } };

async function draw(change: Partial<Case> = {}, replies: Parameters<typeof serve>[0] = {}, keys?: string[]) {
  const served = serve(
    {
      [`GET /cases/${id}`]: { body: makeCase(change) },
      "GET /settings": { body: { revision: 1, stored: false, updated_at: null, ...thresholds } },
      [`GET /users/${encodeURIComponent(userRef)}/diversity`]: { body: makeDiversity() },
      ...replies,
    },
    keys,
  );
  await renderApp(<CasePage />, { queries: served.queries, route: "/abuse/cases/$id", path: `/abuse/cases/${id}` });
  return served;
}

const card = async (name: string) => within(await screen.findByRole("region", { name }));

describe("a case", () => {
  it("says its score, what it is made of in sentences, and from when something is suggested", async () => {
    await draw();
    const score = await card("Score");
    expect(score.getByText(/^of 255 possible, confidence high/)).toBeInTheDocument();
    expect(score.getByText("soft block")).toBeInTheDocument();
    expect(await score.findByText("limit")).toHaveTextContent("limit 70");
    const time = within(score.getByText("Time").closest("li")!);
    expect(time.getByText("different countries at once, 4 times")).toBeInTheDocument();
    expect(time.getByText("36")).toBeInTheDocument();
  });

  it("does not write a zero where nothing is known", async () => {
    await draw();
    const part = (await card("Score")).getByText("Hardware id").closest("li")!;
    expect(part).toHaveTextContent("? / 20");
    expect(part).toHaveTextContent("no hardware ids are known");
  });

  it("tells findings in their order, with the numbers of the drawing", async () => {
    await draw();
    const [first, second] = (await card("Evidence")).getAllByRole("listitem");
    expect(first).toHaveTextContent("1Moscow (RU) and Falkenstein (DE) at the same time2 h 12 min overlap, fra-02");
    expect(second).toHaveTextContent("2A network of machines: Hetzner (hosting)AS24940");
    const drawing = await card("Sessions by network");
    expect(drawing.getByText("2")).toBeInTheDocument();
  });

  it("folds findings of long ago", async () => {
    const findings = Array.from({ length: 11 }, (_, at) => ({ ...makeCase().findings[0]!, at: ago(60 * at) }));
    await draw({ findings });
    const evidence = await card("Evidence");
    expect(evidence.getAllByRole("listitem")).toHaveLength(8);
    await userEvent.click(evidence.getByRole("button", { name: "3 earlier findings" }));
    expect(evidence.getAllByRole("listitem")).toHaveLength(11);
    expect(numbered(findings)[0]!.at).toBe(findings[10]!.at);
  });

  it("says what agents do not see", async () => {
    await draw({ incomplete: [{ node_id: nodeId, node: "ams-01", why: "not_seen_whole", listeners: 2 }] });
    const said = "ams-01 does not see all sessions of 2 listeners: the spread may be wider.";
    expect((await card("Evidence")).getByText(said)).toBeInTheDocument();
  });

  it("says what proxy panels serve", async () => {
    await draw({ incomplete: [{ node_id: nodeId, node: "ams-01", why: "proxy_panel_serves", listeners: 1 }] });
    const said = "On ams-01 a proxy panel serves an entry: who comes in there is not seen here.";
    expect((await card("Evidence")).getByText(said)).toBeInTheDocument();
  });

  it("says how the case before it ended", async () => {
    const before = makeLine({
      id: "0",
      number: 1012,
      state: "dismissed",
      opened_at: "2026-01-10T12:00:00Z",
      closed_at: "2026-01-12T12:00:00Z",
      closed_by: "anna",
    });
    await draw({ earlier: 1 }, { "GET /cases": pageOf(makeLine(), before) });
    const subject = await card("Subject");
    expect(await subject.findByRole("link", { name: "Case 1012" })).toHaveAttribute("href", "/abuse/cases/0");
    expect(subject.getByText(/^dismissed 12 Jan.* by anna$/)).toBeInTheDocument();
  });

  it("is left alone for a week, until when is said", async () => {
    const { written } = await draw({}, { [`PATCH /cases/${id}`]: { body: makeCase() } });
    await userEvent.click(await screen.findByRole("button", { name: "Mute…" }));
    const dialog = within(await screen.findByRole("dialog"));
    expect(dialog.getByText(/No case of this user is opened until then/)).toBeInTheDocument();
    await userEvent.click(dialog.getByRole("button", { name: "Mute" }));
    await waitFor(() => expect(written()).toHaveLength(1));
    const { whitelist_until: until } = written()[0]!.body as { whitelist_until: string };
    expect(Math.round((Date.parse(until) - Date.now()) / 86_400_000)).toBe(7);
  });

  it("says why nothing may be done, and stays readable", async () => {
    await draw({}, {}, ["abuse.view"]);
    expect(await screen.findByRole("button", { name: "Dismiss…" })).toHaveAttribute("aria-disabled", "true");
    expect(screen.getByLabelText("Add a note")).toBeDisabled();
    expect(await card("Score")).toBeDefined();
  });

  it("says that there is no such case", async () => {
    await draw({}, { [`GET /cases/${id}`]: { status: 404, body: { status: 404, code: "not_found" } } });
    expect(await screen.findByText("The case could not be read")).toBeInTheDocument();
  });
});

describe("notes", () => {
  const posted = { [`POST /cases/${id}/notes`]: { status: 201, body: makeCase() } };

  it("are read with who wrote them, and added by Ctrl Enter", async () => {
    const notes = [{ id: "n1", text: "Asked the reseller", by: "oleg", at: ago(60) }];
    const { written } = await draw({ notes }, posted);
    const area = await card("Notes and acts");
    expect(area.getByText("oleg").closest("li")).toHaveTextContent("oleg Asked the reseller");
    await userEvent.type(area.getByLabelText("Add a note"), "watching{Control>}{Enter}{/Control}");
    await waitFor(() => expect(written()[0]?.body).toEqual({ text: "watching" }));
    await waitFor(() => expect(area.getByLabelText("Add a note")).toHaveValue(""));
  });

  it("keep what was typed when they are refused", async () => {
    const busy = { status: 503, body: { status: 503, code: "unavailable" } };
    await draw({}, { [`POST /cases/${id}/notes`]: busy });
    const area = await card("Notes and acts");
    await userEvent.type(area.getByLabelText("Add a note"), "watching");
    await userEvent.click(area.getByRole("button", { name: "Add note" }));
    expect(await area.findByRole("alert")).toBeInTheDocument();
    expect(area.getByLabelText("Add a note")).toHaveValue("watching");
  });
});
