import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { renderApp } from "@/testing/render-app";
import { actsOn } from "../acts/acts";
import { makeLine, pageOf, serve } from "../testing";
import CasesPage from "./cases-page";
import { filterOf } from "./cases-search";
import { shareOf } from "./case-words";

const thresholds = { settings: { thresholds: { warn: 40, limit: 70, block: 110 } } };
const settings = { "GET /settings": { body: { revision: 1, stored: false, updated_at: null, ...thresholds } } };

async function draw(replies: Parameters<typeof serve>[0], ...rest: [path?: string, keys?: string[], license?: object]) {
  const [path = "/abuse", keys, license] = rest;
  const served = serve({ ...settings, ...replies }, keys, license);
  const drawn = await renderApp(<CasesPage />, { queries: served.queries, route: "/abuse", path });
  return { ...served, ...drawn };
}

const other = makeLine({ id: "2", number: 1185, user: { name: "oleg", known: true } });

describe("the list of cases", () => {
  it("says whom each is about, why, and what is suggested", async () => {
    await draw({ "GET /cases": pageOf(makeLine()) });
    const row = within((await screen.findByRole("link", { name: "Case 1184" })).closest("tr")!);
    expect(row.getByText("different countries at once, 4 times")).toBeInTheDocument();
    expect(row.getByRole("link", { name: "anna's phone" })).toBeInTheDocument();
    expect(row.getByText("84")).toBeInTheDocument();
    expect(row.getByText("soft block")).toBeInTheDocument();
    expect(row.getByText("Open")).toBeInTheDocument();
  });

  it("says a sentence that this page does not know as the panel has said it", async () => {
    const why = { code: "something_new", args: {}, text: "seen on the moon" };
    await draw({ "GET /cases": pageOf(makeLine({ why })) });
    expect(await screen.findByText("seen on the moon")).toBeInTheDocument();
  });

  it("begins with what waits for somebody, and shows others by the address", () => {
    expect(filterOf({} as never)).toEqual({ state: "open" });
    expect(filterOf({ state: "all", score: 70, q: "anna" } as never)).toEqual({ q: "anna", min_score: 70 });
  });

  it("offers the thresholds of the settings as least scores", async () => {
    const { address } = await draw({ "GET /cases": pageOf(makeLine()) });
    await screen.findByRole("link", { name: "Case 1184" });
    await userEvent.click(screen.getByRole("button", { name: "Filters" }));
    await userEvent.click(await screen.findByRole("combobox", { name: "Score from" }));
    await userEvent.click(await screen.findByRole("option", { name: "limit 70" }));
    await waitFor(() => expect(address()).toContain("score=70"));
  });

  it("says what a case is while there is none", async () => {
    await draw({ "GET /cases": pageOf() });
    expect(await screen.findByText("No open cases")).toBeInTheDocument();
  });

  it("can be read but not changed without the right, and in read-only mode", async () => {
    await draw({ "GET /cases": pageOf(makeLine()) }, "/abuse", ["*"], { read_only: true });
    await userEvent.click(await screen.findByRole("button", { name: "Actions for Case 1184" }));
    expect(await screen.findByRole("menuitem", { name: "Dismiss…" })).toBeDisabled();
    expect(screen.getByText("Changes are off until a license is active")).toBeInTheDocument();
  });
});

describe("many cases at once", () => {
  const chooseAll = async () => {
    await screen.findByRole("link", { name: "Case 1184" });
    await userEvent.click(screen.getByRole("checkbox", { name: "Select all loaded rows" }));
    return within(await screen.findByRole("region", { name: "Selection" }));
  };

  it("are dismissed one after the other; those that failed are told and tried again alone", async () => {
    const conflict = { status: 409, body: { status: 409, code: "revision_conflict" } };
    const { written } = await draw({
      "GET /cases": pageOf(makeLine(), other),
      [`PATCH /cases/${makeLine().id}`]: { body: {} },
      "PATCH /cases/2": [conflict, { body: {} }],
    });
    await userEvent.click((await chooseAll()).getByRole("button", { name: "Dismiss…" }));
    const dialog = within(await screen.findByRole("dialog"));
    await userEvent.type(dialog.getByLabelText("Note"), "one household");
    await userEvent.click(dialog.getByRole("button", { name: "Dismiss" }));
    expect(await dialog.findByText("Done: 1, failed: 1")).toBeInTheDocument();
    expect(written().map(({ body }) => body)).toEqual([
      { state: "dismissed", note: "one household", revision: 3 },
      { state: "dismissed", note: "one household", revision: 3 },
    ]);
    await userEvent.click(dialog.getByRole("button", { name: "Try again for 1 case" }));
    expect(await dialog.findByText("Done for 2 cases")).toBeInTheDocument();
    expect(written()).toHaveLength(3);
  });

  it("leave out those whose state does not allow it, and say so", async () => {
    await draw({ "GET /cases": pageOf(makeLine(), { ...other, state: "dismissed" }) }, "/abuse?state=all");
    await userEvent.click((await chooseAll()).getByRole("button", { name: "Dismiss…" }));
    const left = within(await screen.findByRole("region", { name: "Not included" }));
    expect(left.getByText("Case 1185")).toBeInTheDocument();
  });
});

it("a case can be dismissed while it is open, and opened again afterwards; what is acted on cannot", () => {
  expect(actsOn(makeLine({ state: "open" }))).toContain("dismiss");
  expect(actsOn(makeLine({ state: "actioned" }))).not.toContain("dismiss");
  expect(actsOn(makeLine({ state: "dismissed" }))).toEqual(["reopen", "mute"]);
  expect(actsOn(makeLine({ state: "expired" }))).toContain("reopen");
});

it("points are a share of what is possible, and never more than all of it", () => {
  expect([shareOf(36, 40), shareOf(50, 40), shareOf(1, 0), shareOf(-3, 40)]).toEqual([90, 100, 0, 0]);
});
