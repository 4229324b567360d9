import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import * as files from "@/components/screen/save-file";
import { renderApp } from "@/testing/render-app";
import { barsOf } from "../shared/days";
import type { Row } from "../shared/api";
import { ago, makeCell, makeDay, makeSubject, makeSummary, pageOf, serve } from "../testing";
import { MatrixPage } from "./matrix-page";
import { MatrixView } from "./matrix-view";

function rowOf(change: Parameters<typeof makeSubject>[0]): Row {
  const { days, ...subject } = makeSubject(change);
  return { ...subject, bars: barsOf(days) };
}

async function draw(rows: Row[], more?: { load: () => void; busy: boolean }) {
  await renderApp(
    <MatrixView
      kind="nodes"
      state={{ kind: "ready", data: { items: rows, total: rows.length + (more ? 1 : 0) } }}
      filtered={false}
      sorting={{ value: "-state", onChange: vi.fn() }}
      more={more}
    />,
  );
}

const rowNamed = async (name: string) => within((await screen.findByRole("link", { name })).closest("tr")!);

describe("the matrix", () => {
  it("shows for how many places a layer is down, and a dot where all is well", async () => {
    await draw([
      rowOf({
        name: "waw-02",
        state: "down",
        reason: "unreachable",
        hint: "unreachable",
        since: ago(840),
        checks: [
          makeCell({ check: "core", state: "unknown", up: 0, unknown: 1 }),
          makeCell({ state: "down", up: 1, down: 3, reason: "timeout" }),
        ],
      }),
    ]);
    const row = await rowNamed("waw-02");
    expect(row.getByText("3 of 4")).toBeInTheDocument();
    expect(row.getByTitle("Down, 3 of 4, no answer in time, 21 ms")).toBeInTheDocument();
    expect(row.getByRole("img", { name: "No data" })).toBeInTheDocument();
    expect(row.getByText(/It cannot be reached$/)).toHaveTextContent("Down · 14 min · It cannot be reached");
  });

  it("is saved as a file with a column for each layer", async () => {
    const saved = vi.spyOn(files, "saveFile").mockImplementation(() => undefined);
    await draw([rowOf({ id: "7", name: "one", checks: [makeCell({ check: "tls", state: "down" })] })]);
    await userEvent.click(await screen.findByRole("button", { name: "CSV" }));
    const [name, text] = saved.mock.calls[0]!;
    expect(name).toBe("health-nodes.csv");
    const [head, row] = String(text).split("\r\n");
    expect(head).toBe("name,state,since,maintenance,flapping,reason,hint,tls,id");
    expect(row).toMatch(/^one,.*,down,7$/);
  });

  it("has a column for each layer that some row has, and says where one is not checked", async () => {
    await draw([
      rowOf({ id: "1", name: "one", checks: [makeCell({ check: "tls" })] }),
      rowOf({ id: "2", name: "two", checks: [makeCell({ check: "heartbeat" })] }),
    ]);
    expect((await screen.findAllByRole("columnheader")).map((head) => head.textContent)).toEqual(
      expect.arrayContaining(["Node", "Agent", "TLS"]),
    );
    expect(screen.queryByRole("columnheader", { name: "UDP" })).toBeNull();
    expect((await rowNamed("one")).getByText("not checked")).toBeInTheDocument();
  });

  it("says the cause where the evidence tells it, and nothing twice", async () => {
    await draw([
      rowOf({ id: "1", name: "route", state: "degraded", reason: "partly_unreachable", hint: "route" }),
      rowOf({ id: "2", name: "core", state: "down", reason: "core_stopped", hint: "core_failed" }),
    ]);
    expect(
      (await rowNamed("route")).getByText(/Some places cannot reach it; the route from some places/),
    ).toBeVisible();
    expect((await rowNamed("core")).getByText(/The core is stopped$/)).toBeVisible();
  });

  it("tells maintenance before what is found in it", async () => {
    await draw([rowOf({ name: "lon-03", state: "down", reason: "core_stopped", maintenance: true })]);
    const row = await rowNamed("lon-03");
    expect(row.getByRole("img", { name: "Maintenance" })).toBeInTheDocument();
    expect(row.getByText(/^Maintenance · Down/)).toBeInTheDocument();
  });

  it("has a bar for each day and says them in words", async () => {
    const days = [makeDay({ state: "unknown", up_pct: null }), makeDay(), makeDay({ state: "down", up_pct: 98.5 })];
    await draw([rowOf({ days })]);
    const bars = await screen.findByRole("img", { name: "99.25 % up over 3 days, down on 1 day" });
    expect(bars.querySelectorAll("path")).toHaveLength(3);
  });

  it("reads on when the last row is drawn", async () => {
    const load = vi.fn();
    await draw([rowOf({})], { load, busy: false });
    await waitFor(() => expect(load).toHaveBeenCalled());
  });
});

describe("the page of the matrix", () => {
  it("counts what is not well, and says when the panel itself seems cut off", async () => {
    const { queries } = serve({
      "GET /nodes": pageOf(makeSubject()),
      "GET /summary": { body: makeSummary({ panel_cut_off: true }) },
    });
    await renderApp(<MatrixPage kind="nodes" />, { queries });
    expect(await screen.findByText(/^The panel itself seems cut off/)).toBeInTheDocument();
    expect(screen.getByText("40 checks from 12 places")).toBeInTheDocument();
    const views = within(screen.getByRole("navigation", { name: "Preset filters" }));
    expect(views.getByRole("link", { name: /^Not healthy\s*2$/ })).toBeInTheDocument();
    expect(views.queryByRole("link", { name: /No data/ })).toBeNull();
  });

  it("keeps what is looked for in the address", async () => {
    const { queries } = serve({ "GET /nodes": pageOf(makeSubject()), "GET /summary": { body: makeSummary() } });
    const { address } = await renderApp(<MatrixPage kind="nodes" />, { queries });
    await userEvent.type(await screen.findByRole("textbox", { name: "Find by name" }), "waw");
    await waitFor(() => expect(address()).toContain("q=waw"));
  });
});
