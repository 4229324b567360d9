import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { renderApp } from "@/testing/render-app";
import { ago, pageOf, serve } from "../testing";
import type { ExternalSummary, Leg, Preview, Report } from "./api";
import ChecksPage from "./checks-page";
import { matrixOf, newestDone, trendOf } from "./matrix";
import { MatrixCard } from "./matrix-card";
import { ReportsCard } from "./reports-card";
import { RunDialog } from "./run-dialog";
import SettingsSection, { bodyOf, fieldsOf } from "./settings-section";

const flow = "01890000-0000-7000-8000-0000000000f1";
const node = "01890000-0000-7000-8000-0000000000b1";

const leg = (op_key: string, reachable: boolean): Leg => {
  const [operator = "", region = "", list] = op_key.split("|");
  return {
    op_key,
    operator,
    region,
    whitelist: list === "on",
    reachable,
    channel_state: "DPI_ON",
    latency_ms: reachable ? 44 : null,
    tls: reachable ? "ok" : "failed",
    error: reachable ? "" : "timed out",
  };
};

const makeReport = (change: Partial<Report> = {}): Report => ({
  id: "01890000-0000-7000-8000-0000000000e1",
  provider: "bscheck",
  flow_id: flow,
  node_id: node,
  node_name: "fra-01",
  kind: "probe",
  target: "entry.example:443",
  state: "done",
  asked_at: ago(120),
  checked_at: ago(60),
  passed: 1,
  total: 2,
  legs: [leg("mts|цфо|on", true), leg("beeline|пфо|on", false)],
  skipped: [{ op_key: "yota|уфо|on", name: "Yota", reason: "whitelist_off" }],
  price: { amount: 40, unit: "kopek" },
  cost: { amount: 40, unit: "kopek" },
  trigger: "manual",
  requested_by: "root",
  error_code: "",
  error: "",
  ...change,
});

const period = (spent: number, cap: number) => ({ spent, cap, left: cap - spent, ends_at: ago(-3600) });
const budget = { unit: "kopek" as const, today: period(40, 1000), month: period(140, 5000) };

const makeSummary = (change: Partial<ExternalSummary> = {}): ExternalSummary => ({
  configured: true,
  reports: 1,
  budget,
  balance: 123_456,
  balance_at: ago(60),
  low_balance: false,
  trouble: "",
  ...change,
});

const makePreview = (change: Partial<Preview> = {}): Preview => ({
  kind: "probe",
  node_id: node,
  node_name: "fra-01",
  target: "entry.example:443",
  price: { amount: 40, unit: "kopek" },
  price_after_start: false,
  operators: 4,
  budget,
  refused: "",
  ...change,
});

describe("the matrix of operators", () => {
  it("is that of the newest finished report of each address", () => {
    const old = makeReport({ id: "old", legs: [leg("mts|цфо|on", false)] });
    const failed = makeReport({ id: "failed", state: "failed", legs: [] });
    expect(newestDone([failed, makeReport(), old]).map(({ legs }) => legs.length)).toEqual([2]);
    const { regions, rows } = matrixOf([makeReport()]);
    expect(regions).toEqual(["пфо", "цфо"]);
    expect(
      rows.map(({ operator, cells }) => [operator, cells.map(({ reached, asked }) => `${reached}/${asked}`)]),
    ).toEqual([
      ["beeline", ["0/1", "0/0"]],
      ["mts", ["0/0", "1/1"]],
    ]);
  });

  it("tells where a flow is not reached", async () => {
    await renderApp(<MatrixCard reports={[makeReport()]} />);
    const row = within(await screen.findByRole("row", { name: /beeline/ }));
    expect(row.getByText("not reached")).toBeInTheDocument();
    expect(within(screen.getByRole("row", { name: /mts/ })).getByText("44 ms")).toBeInTheDocument();
  });

  it("draws a trend of what was done, oldest first", () => {
    const better = makeReport({ passed: 2 });
    expect(trendOf([better, makeReport({ state: "failed", total: 0 }), makeReport()])).toEqual([50, 100]);
  });
});

describe("reports", () => {
  it("say what each found and has cost, and why one found nothing", async () => {
    const reports = [
      makeReport(),
      makeReport({ id: "2", state: "failed", error_code: "balance_low", total: 0, cost: { amount: 0, unit: "kopek" } }),
    ];
    await renderApp(<ReportsCard id={flow} reports={reports} />);
    expect(await screen.findByText("1 of 2 reach it")).toBeInTheDocument();
    expect(screen.getByText("0.40 ₽")).toBeInTheDocument();
    expect(screen.getByText("failed: the balance at the service is too low")).toBeInTheDocument();
    expect(screen.getByText("100 newest stored reports")).toBeInTheDocument();
  });

  it("that go on can be cancelled", async () => {
    const open = makeReport({ state: "running", checked_at: null, total: 0 });
    const path = `/connection-units/${flow}/bscheck-checks/${open.id}/cancel`;
    const { queries, written } = serve({ [`POST ${path}`]: { status: 202, body: open } });
    await renderApp(<ReportsCard id={flow} reports={[open]} />, { queries });
    await userEvent.click(await screen.findByRole("button", { name: "Cancel" }));
    await waitFor(() => expect(written()).toEqual([{ method: "POST", path, body: undefined }]));
  });
});

describe("a paid check", () => {
  const under = `/connection-units/${flow}`;
  const served = (preview: Preview) =>
    serve({
      [`GET ${under}/bscheck-targets`]: {
        body: { items: [{ node_id: node, node_name: "fra-01", target: "entry.example:443" }] },
      },
      [`POST ${under}/bscheck-checks/preview`]: { body: preview },
      [`POST ${under}/bscheck-checks`]: { status: 202, body: { operation_id: "o", report: makeReport() } },
    });

  it("begins only by the button that names its price", async () => {
    const { queries, written } = served(makePreview());
    await renderApp(<RunDialog flow={{ id: flow, name: "Edge" }} onClose={() => undefined} />, { queries });
    const pay = await screen.findByRole("button", { name: "Run paid check — 0.40 ₽" });
    const paid = () => written().filter(({ path }) => path.endsWith("/bscheck-checks"));
    expect(paid()).toEqual([]);
    await userEvent.click(pay);
    await waitFor(() =>
      expect(paid()).toEqual([
        { method: "POST", path: `${under}/bscheck-checks`, body: { node_id: node, max_price: 40 } },
      ]),
    );
  });

  it("is closed where the cap would be broken, and says so", async () => {
    const { queries } = served(makePreview({ refused: "cost_limit_reached" }));
    await renderApp(<RunDialog flow={{ id: flow, name: "Edge" }} onClose={() => undefined} />, { queries });
    const pay = await screen.findByRole("button", { name: /Run paid check/ });
    expect(pay).toHaveAttribute("aria-disabled", "true");
  });
});

describe("the page of external checks", () => {
  it("explains itself while nothing is set up", async () => {
    const { queries } = serve({ "GET /bscheck/summary": { body: makeSummary({ configured: false, reports: 0 }) } });
    await renderApp(<ChecksPage />, { queries });
    expect(await screen.findByText("No external checks yet")).toBeInTheDocument();
    expect(screen.getByRole("link", { name: "Set up external checks" })).toHaveAttribute("href", "/settings/health");
  });

  it("lists the flows that were checked, the schedules and the money", async () => {
    const checked = { flow_id: flow, flow_name: "Edge", last: makeReport(), trend: [] };
    const plan = {
      id: "s",
      flow_id: flow,
      flow_name: "Edge",
      every_hours: 6,
      max_price: 40,
      enabled: true,
      revision: 1,
      next_at: ago(-60),
      last_at: null,
      last_error: "cost_limit_reached",
    };
    const { queries } = serve({
      "GET /bscheck/summary": { body: makeSummary() },
      "GET /bscheck/flows": pageOf(checked),
      "GET /bscheck/schedules": pageOf(plan),
      "GET /connection-units": pageOf(),
    });
    await renderApp(<ChecksPage />, { queries });
    expect(await screen.findByRole("link", { name: "Edge" })).toHaveAttribute("href", `/checks/${flow}`);
    expect(await screen.findByText("every 6 hours, at most 0.40 ₽ each")).toBeInTheDocument();
    expect(screen.getByText("0.40 ₽ of 10.00 ₽")).toBeInTheDocument();
  });
});

describe("the settings of external checks", () => {
  const shown = {
    has_api_key: true,
    address: "https://bsbord.com/v1",
    daily_cap: 10_000,
    monthly_cap: 100_000,
    min_interval_minutes: 60,
    low_balance: 5_000,
    drop_percent: 20,
  };

  it("keep a key that is not typed, and count in kopeks", () => {
    expect(bodyOf({ ...fieldsOf(shown), daily_cap: 12.5 })).toEqual({
      address: "https://bsbord.com/v1",
      daily_cap: 1_250,
      monthly_cap: 100_000,
      min_interval_minutes: 60,
      low_balance: 5_000,
      drop_percent: 20,
    });
    expect(bodyOf({ ...fieldsOf(shown), drop_api_key: true }).api_key).toBe("");
  });

  it("never show the key", async () => {
    const { queries } = serve({
      "GET /bscheck/settings": { body: { revision: 1, stored: true, updated_at: null, settings: shown } },
    });
    await renderApp(<SettingsSection />, { queries });
    expect(await screen.findByLabelText("Key of the service")).toHaveValue("");
  });
});
