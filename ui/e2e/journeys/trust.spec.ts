import type { Page } from "@playwright/test";
import { Fleet } from "../rig/fleet";
import { test, type Populated } from "../rig/populated";
import { freePort } from "../rig/processes";
import { expect, passesGates, picture, signIn } from "../rig/test";
import type { Stand } from "../rig/stand";

test.describe.configure({ mode: "serial" });

const twoYears = 2 * 365.25 * 24 * 3_600_000;

/** Sets the clock of the browser wrong; its timers go on as they are. */
async function skewClock(page: Page, ahead: number): Promise<void> {
  await page.addInitScript((off) => {
    const Real = Date;
    globalThis.Date = class extends Real {
      constructor(...given: []) {
        if (given.length > 0) super(...given);
        else super(Real.now() + off);
      }
      static override now() {
        return Real.now() + off;
      }
    } as DateConstructor;
  }, ahead);
}

for (const [name, ahead] of [
  ["two years fast", twoYears],
  ["two years slow", -twoYears],
] as const) {
  test(`a browser whose clock is ${name} tells every age by the panel`, async ({ page, stand, populated }) => {
    await skewClock(page, ahead);
    await signIn(page, stand.url);
    expect(await page.evaluate(() => new Date().getFullYear())).not.toBe(new Date().getFullYear());
    await expect(page.getByText(/^Figures \d+ s old$/)).toBeVisible();
    await expect(page.getByText("Live", { exact: true })).toBeVisible();
    await expect(page.getByText(/^Changes, figures \d+ s old$/)).toBeVisible();

    await page.goto(`${stand.url}/nodes/${populated.node}`);
    await expect(
      page
        .locator("time")
        .filter({ hasText: /^(just now|\d+ s ago)$/ })
        .first(),
    ).toBeVisible();
    await expect(page.getByText(/No data since/)).toHaveCount(0);

    await page.goto(`${stand.url}/audit`);
    const days = page.getByText(/^\d{1,2} [A-Z][a-z]{2}$/);
    await expect(days.first()).toBeVisible();
    await expect(page.getByText(/^\d{1,2} [A-Z][a-z]{2} \d{4}$/)).toHaveCount(0);
    await picture(page, `clock-${ahead > 0 ? "fast" : "slow"}`);
  });
}

/** Gives the node another address, so that the links of its flows name the one before. */
async function moveNode(stand: Stand, { token, node }: Populated): Promise<void> {
  const { revision } = await stand.call<{ revision: number }>(token, "GET", `/api/v1/nodes/${node}`);
  await stand.call(token, "PATCH", `/api/v1/nodes/${node}`, { revision, address: "moved.example.net" });
}

test("a drifted flow says where, shows the difference, and is restored", async ({ page, stand, populated }) => {
  await signIn(page, stand.url);
  await page.goto(`${stand.url}/flows/${populated.flow}/outline`);
  await expect(page.getByText(/^Saved/)).toBeVisible();
  await expect(page.getByRole("region", { name: "Nodes that differ" })).toHaveCount(0);

  await moveNode(stand, populated);
  await page.reload();
  const bar = page.getByRole("region", { name: "Nodes that differ" });
  await expect(bar).toContainText(/Another configuration than v\d+ runs on fra-01/);
  await expect(bar.getByRole("link", { name: "fra-01" })).toHaveAttribute("href", `/nodes/${populated.node}`);
  await passesGates(page);
  await picture(page, "drift-bar");

  await bar.getByRole("button", { name: /^Restore v\d+ on fra-01$/ }).click();
  const ask = page.getByRole("dialog", { name: /^Restore v\d+ on fra-01\?$/ });
  await expect(ask.getByRole("region", { name: "What changes on the node" })).toContainText("moved.example.net");
  await passesGates(page);
  await picture(page, "drift-dialog");
  await ask.getByRole("button", { name: /^Restore v\d+ on fra-01$/ }).click();
  await expect(page.getByRole("heading", { name: /^v\d+ is restored$/ })).toBeVisible({ timeout: 90_000 });

  await page.goto(`${stand.url}/flows/${populated.flow}/outline`);
  await expect(page.getByText(/^Saved/)).toBeVisible();
  await expect(bar).toHaveCount(0);
});

/** A flow of one entry whose draft was never applied. */
async function drawnFlow(stand: Stand, { token, node }: Populated, name: string): Promise<void> {
  const listener = { protocol: "shadowsocks2022", port: await freePort() };
  const nodes = [
    { key: "in", kind: "entry", node_id: node, params: { listener } },
    { key: "out", kind: "direct" },
  ];
  const graph = { nodes, edges: [{ from: "in", to: "out" }] };
  await stand.call(token, "POST", "/api/v1/connection-units", { name, graph });
}

test("of drafts that are to be applied together, each says what keeps it back", async ({ page, stand, populated }) => {
  await drawnFlow(stand, populated, "Reserve north");
  await drawnFlow(stand, populated, "Reserve south");
  await signIn(page, stand.url);
  await page.goto(`${stand.url}/flows?q=reserve`);
  await page.getByRole("checkbox", { name: /Reserve north/ }).check();
  await page.getByRole("checkbox", { name: /Reserve south/ }).check();
  await page.getByRole("link", { name: "Apply together…" }).click();
  await expect(page.getByRole("heading", { name: "Apply 2 flows together" })).toBeVisible();
  // No other node is there to try the port from, and nothing is forced here.
  await expect(page.getByText("Checks are open")).toHaveCount(2, { timeout: 120_000 });
  await expect(page.getByRole("button", { name: "Apply 0 flows" })).toBeDisabled();
  await passesGates(page);
  await picture(page, "bulk-plans");
  await page.getByRole("link", { name: "Open plan" }).first().click();
  await expect(page.getByRole("button", { name: "Apply anyway…" })).toBeVisible();
});

test("an empty field that must be filled in keeps the quiet colour of its example", async ({
  page,
  stand,
  populated,
}) => {
  expect(populated.token).not.toBe("");
  await signIn(page, stand.url);
  await page.goto(`${stand.url}/nodes/new`);
  const name = page.locator("#node-name");
  const colour = () => name.evaluate((field) => getComputedStyle(field, "::placeholder").color);
  await expect(name).toHaveAttribute("placeholder", "fra-01");
  const quiet = await colour();
  await page.getByRole("button", { name: "Create and show the command" }).click();
  await expect(name).toHaveAttribute("aria-invalid", "true");
  expect(await colour()).toBe(quiet);
});

test("a node that was just described goes on to its command, and nobody is asked about what is stored", async ({
  page,
  stand,
  populated,
}) => {
  expect(populated.token).not.toBe("");
  await signIn(page, stand.url);
  await page.goto(`${stand.url}/nodes/new`);
  await page.locator("#node-name").fill("par-05");
  await page.getByRole("button", { name: "Create and show the command" }).click();
  await expect(page.getByText(/PANEL_ENROLL_TOKEN=/).first()).toBeVisible();
  await expect(page.getByRole("dialog", { name: "Leave without saving?" })).toHaveCount(0);
});

test("no page is wider than a phone in Russian, also a small one", async ({ page, stand, populated }) => {
  await signIn(page, stand.url);
  await page.evaluate(() => localStorage.setItem("panel-language", "ru"));
  const { node, flow, plan, apply } = populated;
  const paths = ["/", "/nodes", "/nodes/new", `/nodes/${node}`, `/nodes/${node}?tab=agent`, "/flows", "/accounts"];
  const more = ["/clients", "/pools", "/policies", "/monitoring", "/monitoring/incidents", "/checks", "/settings"];
  const ofFlow = ["outline", "versions", "settings", `plans/${plan}`, `applies/${apply}`];
  for (const path of [...paths, ...more, ...ofFlow.map((part) => `/flows/${flow}/${part}`)]) {
    await page.setViewportSize({ width: 390, height: 860 });
    await page.goto(stand.url + path);
    await expect(page.getByRole("heading").first()).toBeVisible();
    await expect(page.locator("main [aria-busy=true]")).toHaveCount(0);
    await expect(page.locator("html")).toHaveAttribute("lang", "ru");
    const sideways = () =>
      page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    await expect.poll(sideways, `${path} is too wide`).toBeLessThanOrEqual(0);
    await page.setViewportSize({ width: 320, height: 700 });
    await expect.poll(sideways, `${path} is too wide for 320 px`).toBeLessThanOrEqual(0);
  }
});

test("an outage of 40 nodes is one line with its names and one act, and the act says first what it does", async ({
  page,
  stand,
  populated,
}) => {
  const fleet = await Fleet.start(stand, populated.token, 40);
  try {
    await signIn(page, stand.url);
    const attention = page.getByRole("region", { name: "Needs attention" });
    const outage = attention.getByRole("listitem").filter({ hasText: "40 nodes" });
    await expect(attention).toBeVisible();
    await expect(outage).toHaveCount(0);

    await page.goto(`${stand.url}/nodes`);
    const bars = page.locator("tbody [class*=_meter_]");
    await expect.poll(() => bars.count()).toBeGreaterThan(10);
    const spread = () =>
      bars.evaluateAll((all) => {
        const lefts = all.map((bar) => bar.getBoundingClientRect().x);
        return Math.max(...lefts) - Math.min(...lefts);
      });
    await expect.poll(spread, "left ends of bars, whatever figure stands beside them").toBeLessThan(1);
    await page.goto(stand.url);
    await expect(attention).toBeVisible();

    fleet.silence();
    await expect(outage).toContainText(/missed two reports|lost contact/, { timeout: 120_000 });
    await expect(outage).toContainText("sim-01, sim-02, sim-03 and 37 more");
    await expect(outage).toContainText("no flow runs there");
    await picture(page, "outage");

    await outage.getByRole("link", { name: "Show" }).click();
    await expect(page).toHaveURL(/\/nodes\?.*state=(attention|offline)/);
    await page.getByRole("checkbox", { name: "Select all loaded rows" }).click();
    const selection = page.getByRole("region", { name: "Selection" });
    await expect(selection).toContainText("40 selected");
    await selection.getByRole("button", { name: /^Maintenance/ }).click();

    const ask = page.getByRole("dialog", { name: "Begin maintenance of 40 nodes" });
    await expect(ask).toContainText("No installed flow uses it.");
    await picture(page, "act-dialog");
    await ask.getByRole("button", { name: "Begin maintenance" }).click();
    await expect(ask.getByRole("list", { name: "Result of each" }).getByRole("listitem")).toHaveCount(40);
    await expect(ask.getByRole("button", { name: "End maintenance" })).toBeVisible();
    await ask.getByRole("button", { name: "Close" }).last().click();

    await page.goto(stand.url);
    await expect(attention).toBeVisible();
    await expect(outage).toHaveCount(0);
  } finally {
    await fleet.close();
  }
});
