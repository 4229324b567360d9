import type { Page } from "@playwright/test";
import { inBothThemes } from "../rig/looks";
import { reportingNode, test as base, type Populated } from "../rig/populated";
import { freePort } from "../rig/processes";
import { expect, isTold, passesGates, signIn } from "../rig/test";
import type { Stand } from "../rig/stand";

const exitName = "ams-02";

/** A second node of this machine, which traffic may leave by. */
const test = base.extend<object, { exit: string }>({
  exit: [
    async ({ stand, populated }, use) => use(await reportingNode(stand, populated.token, exitName)),
    { scope: "worker", timeout: 360_000 },
  ],
});

test.describe.configure({ mode: "serial" });

const flowName = "Through a pool";

interface Installed {
  installed_revision: number | null;
  last_apply_id: string | null;
}

/** Draws a flow from the first node through the pool, and gives its id. */
async function pooled(stand: Stand, { token, node }: Populated, pool: string): Promise<string> {
  const listener = { protocol: "shadowsocks2022", port: await freePort() };
  const graph = {
    nodes: [
      { key: "entry", kind: "entry", node_id: node, params: { listener } },
      { key: "pool", kind: "transit_pool", pool_id: pool },
      { key: "out", kind: "direct", params: { private: "allow" } },
    ],
    edges: [
      { from: "entry", to: "pool" },
      { from: "pool", to: "out" },
    ],
  };
  const made = await stand.call<{ id: string }>(token, "POST", "/api/v1/connection-units", { name: flowName, graph });
  return made.id;
}

async function choose(page: Page, name: string): Promise<void> {
  const adder = page.getByRole("dialog").getByRole("combobox", { name: "Add a node or a flow" });
  await adder.fill(name);
  await page.getByRole("option", { name }).first().click();
}

test("a pool is made, carries a flow, is acted on without an apply, and stays while it is used", async ({
  page,
  stand,
  populated,
  exit,
}) => {
  expect(exit).not.toBe("");
  await signIn(page, stand.url);
  await page.goto(`${stand.url}/pools`);
  await page.getByRole("button", { name: "New pool" }).click();
  const dialog = page.getByRole("dialog", { name: "New transit pool" });
  await dialog.getByRole("textbox", { name: "Name" }).fill("Ways out");
  await choose(page, exitName);
  await dialog.getByRole("combobox", { name: "Fallback" }).click();
  await page.getByRole("option", { name: "Direct", exact: true }).click();
  await dialog.getByRole("button", { name: "Probes and thresholds" }).click();
  await dialog.getByRole("textbox", { name: "Probe", exact: true }).fill(`${stand.url}/health/live`);
  await inBothThemes(page, "pools-new");
  await dialog.getByRole("button", { name: "Create pool" }).click();
  await isTold(page, "Ways out was made");
  await expect(page.getByRole("heading", { name: "Ways out", level: 1 })).toBeVisible();
  const pool = /pools\/([0-9a-f-]{36})/.exec(page.url())![1]!;

  const flow = await pooled(stand, populated, pool);
  await page.goto(`${stand.url}/flows/${flow}/graph`);
  await page.getByRole("button", { name: "Compile plan" }).click();
  await expect(page.getByRole("heading", { name: /^Plan r/ })).toBeVisible();
  // What leaves by the node's own address is said aloud before anybody applies it.
  await expect(page.getByText(/own address/).first()).toBeVisible();
  await inBothThemes(page, "pools-plan");
  await applied(page);

  await page.goto(`${stand.url}/pools/${pool}`);
  await expect(page.getByRole("list", { name: "Members" }).getByText("Healthy")).toBeVisible({ timeout: 90_000 });
  await inBothThemes(page, "pools-serving");
  const before = await installed(stand, populated, flow);
  const acts = page.getByRole("button", { name: `Actions for ${exitName}` });
  await acts.click();
  await page.getByRole("menuitem", { name: /^Lead all traffic here/ }).click();
  await inBothThemes(page, "pools-override");
  await page.getByRole("dialog").getByRole("button", { name: "Lead here" }).click();
  await closed(page);
  await expect(page.getByText("chosen", { exact: true }).first()).toBeVisible();
  await acts.click();
  await page.getByRole("menuitem", { name: /^End the choice/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "End it" }).click();
  await closed(page);
  await expect(page.getByText("chosen", { exact: true })).toHaveCount(0);

  await acts.click();
  await page.getByRole("menuitem", { name: /^Drain/ }).click();
  const asked = page.getByRole("dialog", { name: `Drain ${exitName}?` });
  await expect(asked.getByText(/is the last usable member/)).toBeVisible();
  await expect(asked.getByRole("button", { name: "Drain", exact: true })).toHaveAccessibleDescription(/.+/);
  await inBothThemes(page, "pools-drain-last");
  await asked.getByRole("textbox").fill(exitName);
  await asked.getByRole("button", { name: "Drain", exact: true }).click();
  await closed(page);
  await expect(page.getByText(/On fra-01 the fallback took over/).first()).toBeVisible({ timeout: 90_000 });
  expect(await installed(stand, populated, flow), "nothing was applied").toEqual(before);
  await inBothThemes(page, "pools-fallback");

  await page.getByRole("button", { name: "Remove…" }).click();
  const removing = page.getByRole("dialog", { name: "Remove Ways out?" });
  await removing.getByRole("button", { name: "Remove" }).click();
  await expect(removing.getByRole("alert")).toContainText("uses this pool");
  await inBothThemes(page, "pools-in-use");
});

/** Waits until an act on a member is done, and closes what says so. */
async function closed(page: Page): Promise<void> {
  await expect(page.getByRole("dialog").getByRole("status").getByText("Done")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
}

/** Applies the plan that is open, past checks that this machine cannot confirm. */
async function applied(page: Page): Promise<void> {
  const straight = page.getByRole("button", { name: "Apply", exact: true });
  const anyway = page.getByRole("button", { name: "Apply anyway…" });
  await expect(straight.or(anyway)).toBeVisible({ timeout: 90_000 });
  if (await anyway.isVisible()) {
    await anyway.click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox").fill(flowName);
    await dialog.getByRole("button", { name: "Apply anyway" }).click();
  } else await straight.click();
  await expect(page.getByRole("heading", { name: /^v\d+ is installed/ })).toBeVisible({ timeout: 120_000 });
}

const installed = (stand: Stand, { token }: Populated, flow: string) =>
  stand
    .call<Installed>(token, "GET", `/api/v1/connection-units/${flow}`)
    .then(({ installed_revision, last_apply_id }) => ({ installed_revision, last_apply_id }));

test("a pool's way is explained with its member, its last switch and what a real client meets", async ({
  page,
  stand,
  populated,
  exit,
}) => {
  expect(exit).not.toBe("");
  const { items } = await stand.call<{ items: { id: string; name: string }[] }>(
    populated.token,
    "GET",
    "/api/v1/connection-units",
  );
  await signIn(page, stand.url);
  await page.goto(`${stand.url}/flows/${items.find(({ name }) => name === flowName)!.id}/graph`);
  await page.getByRole("textbox", { name: "Trace a domain, IP or port" }).fill("localhost");
  await page.keyboard.press("Enter");
  const answer = page.getByRole("dialog", { name: "Where this destination goes" });
  await answer.getByText("Installed, v1").click();
  await expect(answer.getByText("Pool Ways out")).toBeVisible();
  await answer.getByRole("button", { name: "Try it now" }).click();
  await expect(answer.getByText(/A client (got|did not get) through from fra-01/)).toBeVisible({ timeout: 90_000 });
  await passesGates(page);
  await inBothThemes(page, "pools-explained");
});

test("another node takes the place of one in every drawing", async ({ page, stand, populated, exit }) => {
  await signIn(page, stand.url);
  await page.goto(`${stand.url}/nodes/${populated.node}?tab=flows`);
  await page.getByRole("button", { name: /^Replace this node in flows/ }).click();
  const dialog = page.getByRole("dialog", { name: "Replace the node in all flows" });
  await inBothThemes(page, "replace-empty");
  await dialog.getByRole("combobox", { name: "Node that takes its place" }).fill(exitName);
  await page.getByRole("option", { name: exitName }).click();
  await expect(dialog.getByRole("link", { name: "Office", exact: true })).toBeVisible();
  await inBothThemes(page, "replace-told");
  await dialog.getByRole("button", { name: /^Change/ }).click();
  const review = dialog.getByRole("button", { name: /^Review/ });
  await expect(review).toBeVisible({ timeout: 90_000 });
  await inBothThemes(page, "replace-done");
  await review.click();
  await page.waitForURL(/\/flows\/bulk/);
  await expect(page.getByText("Office", { exact: true }).first()).toBeVisible();
  await inBothThemes(page, "replace-plans");
  const { graph } = await stand.call<{ graph: { nodes: { node_id?: string }[] } }>(
    populated.token,
    "GET",
    `/api/v1/connection-units/${populated.flow}/draft`,
  );
  expect(graph.nodes.flatMap(({ node_id: id }) => id ?? [])).toEqual([exit, exit]);
});
