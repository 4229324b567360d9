import type { Page } from "@playwright/test";
import { inBothThemes } from "../rig/looks";
import { reportingNode, test as base, type Populated } from "../rig/populated";
import { freePort } from "../rig/processes";
import { expect, signIn } from "../rig/test";
import type { Stand } from "../rig/stand";

const secondName = "par-03";

interface Pair {
  second: string;
  flow: string;
}

interface Shown {
  installed_version_number: number | null;
  draft_revision: number;
}

/** A flow of two entries on two nodes of this machine, which serves. */
const test = base.extend<object, { pair: Pair }>({
  pair: [
    async ({ stand, populated }, use) => {
      const second = await reportingNode(stand, populated.token, secondName);
      const graph = drawing(populated.node, second, [await freePort(), await freePort()]);
      const made = await stand.call<{ id: string }>(populated.token, "POST", units, { name: flowName, graph });
      await use({ second, flow: made.id });
    },
    { scope: "worker", timeout: 360_000 },
  ],
});

test.describe.configure({ mode: "serial" });

const units = "/api/v1/connection-units";
const flowName = "Two entries";

function drawing(first: string, second: string, ports: number[]) {
  const blocks = [first, second].flatMap((node_id, at) => [
    {
      key: `entry-${at}`,
      kind: "entry",
      node_id,
      params: { listener: { protocol: "shadowsocks2022", port: ports[at] } },
    },
    { key: `exit-${at}`, kind: "exit", node_id },
  ]);
  return {
    nodes: [...blocks, { key: "no", kind: "block" }],
    edges: [0, 1].flatMap((at) => [
      { from: `entry-${at}`, to: "no", priority: 1, match: { domain: ["never.example"] } },
      { from: `entry-${at}`, to: `exit-${at}` },
    ]),
  };
}

/** Refuses one more name on both entries, so that both nodes change and neither port does. */
async function refuse(stand: Stand, { token }: Populated, flow: string, name: string): Promise<void> {
  interface Edge {
    match?: { domain: string[] };
  }
  const draft = await stand.call<{ revision: number; graph: { edges: Edge[] } }>(
    token,
    "GET",
    `${units}/${flow}/draft`,
  );
  for (const { match } of draft.graph.edges) match?.domain.push(name);
  await stand.call(token, "PUT", `${units}/${flow}/draft`, { revision: draft.revision, graph: draft.graph });
}

const shown = (stand: Stand, { token }: Populated, flow: string) => stand.call<Shown>(token, "GET", `${units}/${flow}`);

async function apply(page: Page): Promise<void> {
  const straight = page.getByRole("button", { name: "Apply", exact: true });
  const anyway = page.getByRole("button", { name: "Apply anyway…" });
  await expect(straight.or(anyway)).toBeVisible({ timeout: 90_000 });
  if (await anyway.isVisible()) {
    await anyway.click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox").fill(flowName);
    await dialog.getByRole("button", { name: "Apply anyway" }).click();
  } else await straight.click();
}

async function compile(page: Page, url: string, flow: string): Promise<void> {
  await page.goto(`${url}/flows/${flow}/graph`);
  await page.getByRole("button", { name: "Compile plan" }).click();
  await expect(page.getByRole("heading", { name: /^Plan r/ })).toBeVisible();
}

/** Compiles a plan in which one node goes first, applies it, and waits until that node is watched. */
async function letOneGoFirst(page: Page, url: string, flow: string, pictures: string): Promise<void> {
  await compile(page, url, flow);
  await page.getByRole("button", { name: "Some nodes first…" }).click({ timeout: 90_000 });
  const dialog = page.getByRole("dialog", { name: "Which nodes go first?" });
  await dialog.getByRole("textbox", { name: "Failed probes in a row that end it" }).fill("10");
  await inBothThemes(page, `${pictures}-dialog`);
  await dialog.getByRole("button", { name: "Compile with canary" }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByText(/watched for/).first()).toBeVisible({ timeout: 90_000 });
  await inBothThemes(page, `${pictures}-plan`);
  await apply(page);
  await expect(page.getByText("The nodes that go first serve the new version.", { exact: false })).toBeVisible({
    timeout: 120_000,
  });
  await inBothThemes(page, `${pictures}-watched`);
}

test("a canary goes first while the other node keeps the version, and is ended by hand", async ({
  page,
  stand,
  populated,
  pair,
}) => {
  await signIn(page, stand.url);
  await compile(page, stand.url, pair.flow);
  await apply(page);
  await expect(page.getByRole("heading", { name: "v1 is installed" })).toBeVisible({ timeout: 120_000 });

  await refuse(stand, populated, pair.flow, "first.example");
  await letOneGoFirst(page, stand.url, pair.flow, "canary");
  // The old version is the installed one until the whole apply is decided.
  expect((await shown(stand, populated, pair.flow)).installed_version_number).toBe(1);
  await page.getByRole("button", { name: "End canary" }).click();
  const asked = page.getByRole("dialog", { name: "End the canary?" });
  await expect(asked.getByText("returns to the installed version")).toBeVisible();
  await inBothThemes(page, "canary-end");
  await asked.getByRole("button", { name: "End canary" }).click();
  await expect(page.getByText("The nodes that went first serve the installed version again.")).toBeVisible({
    timeout: 120_000,
  });
  await inBothThemes(page, "canary-ended");
  expect((await shown(stand, populated, pair.flow)).installed_version_number).toBe(1);
});

test("a canary is promoted by hand, and the version becomes the installed one", async ({
  page,
  stand,
  populated,
  pair,
}) => {
  await signIn(page, stand.url);
  await refuse(stand, populated, pair.flow, "second.example");
  await letOneGoFirst(page, stand.url, pair.flow, "canary-again");
  await page.getByRole("button", { name: "Promote now" }).click();
  const asked = page.getByRole("dialog", { name: "Let the other nodes follow now?" });
  await expect(asked.getByRole("listitem").getByText("gets the new version")).toBeVisible();
  await inBothThemes(page, "canary-promote");
  await asked.getByRole("button", { name: "Promote now" }).click();
  await expect(page.getByRole("heading", { name: "v2 is installed" })).toBeVisible({ timeout: 120_000 });
  await expect(page.getByText("All went well; the other nodes follow.")).toBeVisible();
  await inBothThemes(page, "canary-passed");
  expect((await shown(stand, populated, pair.flow)).installed_version_number).toBe(2);
});
