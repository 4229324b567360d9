import { inBothThemes, inEveryLook } from "../rig/looks";
import { reportingNode, servingFlow, test, type Populated } from "../rig/populated";
import { eventually } from "../rig/processes";
import type { Stand } from "../rig/stand";
import { expect, picture, signIn } from "../rig/test";

const server = "hel-07";

interface Draft {
  graph: { nodes: { params?: { listener?: { port: number } } }[] };
}

/** A node with a flow that is seen well, whose core is broken then. */
async function brokenNode(stand: Stand, { token }: Populated) {
  const get = <T>(path: string) => stand.call<T>(token, "GET", `/api/v1${path}`);
  const node = await reportingNode(stand, token, server);
  const { flow } = await servingFlow(stand, token, "Helsinki", node);
  await eventually("a flow that is seen well", 240, async () => {
    const { state } = await get<{ state: string }>(`/health/connection-units/${flow}`);
    return state === "up" ? true : undefined;
  });
  const { graph } = await get<Draft>(`/connection-units/${flow}/draft`);
  const port = graph.nodes.find(({ params }) => params?.listener)?.params?.listener?.port ?? 0;
  const mend = await stand.breakCore(server, port);
  await eventually("a proposal of self-repair", 240, async () => {
    const { total } = await get<{ total: number }>(`/health/self-heal/actions?state=proposed&node_id=${node}`);
    return total > 0 ? true : undefined;
  });
  return { node, mend };
}

test("a core that fails is proposed to be restarted, approved, repaired, and its incident ends", async ({
  page,
  stand,
  populated,
}) => {
  test.setTimeout(900_000);
  const { node, mend } = await brokenNode(stand, populated);
  await signIn(page, stand.url);
  const line = page.getByRole("region", { name: "Needs attention" }).getByRole("listitem").filter({ hasText: server });
  await expect(line.getByText("Self-repair proposes: Restart core")).toBeVisible();
  await picture(page, "repairs-overview");
  await line.getByRole("link", { name: "Open" }).click();
  await expect(page.getByRole("heading", { name: server, level: 1 })).toBeVisible();
  const repairs = page.getByRole("region", { name: "Self-repair" });
  const row = repairs.getByRole("listitem", { name: `Restart core ${server}` });
  await expect(row.getByText("Proposed")).toBeVisible();
  await row.getByText("Because of the core").click();
  await expect(row.getByText(/^Down, /).first()).toBeVisible();
  await inEveryLook(page, "repairs-incident", /Restart core|Перезапуск ядра/);

  await page.goto(`${stand.url}/monitoring/repairs?state=proposed`);
  await expect(row.or(page.getByRole("listitem", { name: `Restart core ${server}` })).first()).toBeVisible();
  await inEveryLook(page, "repairs-proposed", server);
  const waiting = page.getByRole("listitem", { name: `Restart core ${server}` });
  await waiting.getByRole("button", { name: "Approve…" }).click();
  const dialog = page.getByRole("dialog", { name: `Restart core of ${server}?` });
  await inBothThemes(page, "repairs-approve");
  await mend();
  await dialog.getByRole("button", { name: "Restart core" }).click();
  await expect(dialog).toHaveCount(0);

  await page.goto(`${stand.url}/monitoring/nodes/${node}`);
  await expect(row.getByText("It helped: the node is well. · Approved by anna"), "without a reload").toBeVisible({
    timeout: 180_000,
  });
  await inEveryLook(page, "repairs-node", /It helped|Помогло/);
  await row.getByRole("link", { name: "Incident" }).click();
  await expect(page.getByText("Nobody is affected any more.")).toBeVisible({ timeout: 180_000 });
  await expect(page.getByText("Resolved by the panel.")).toBeVisible({ timeout: 180_000 });

  await page.goto(`${stand.url}/monitoring/repairs`);
  await expect(waiting.getByText("Done")).toBeVisible();
  const would = page.getByRole("region", { name: "By itself, last week" });
  await expect(would.getByText(/it would have acted \d+ times?, on/)).toBeVisible();
  await inEveryLook(page, "repairs-log", server);
});

test("a policy says how far self-repair goes, and what it would have done", async ({ page, stand, populated }) => {
  await signIn(page, stand.url);
  await page.goto(`${stand.url}/monitoring/policies`);
  await page.getByRole("button", { name: "Change Everything else" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("radio", { name: "Act by itself" }).check({ force: true });
  const means = dialog.getByRole("region", { name: "What this means" });
  await expect(means.getByText(/self-repair acts by itself: restart core/)).toBeVisible();
  await dialog.getByRole("button", { name: "What would it have done last week?" }).click();
  await expect(dialog.getByText(/^In the last 7 days it would have/)).toBeVisible();
  await dialog.getByText("For the nodes of this policy").scrollIntoViewIfNeeded();
  await inBothThemes(page, "repairs-policy");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog).toHaveCount(0);
  const read = () =>
    stand.call<{ items: { default: boolean; repair: { mode: string } }[] }>(
      populated.token,
      "GET",
      "/api/v1/health/policies",
    );
  expect((await read()).items.find((policy) => policy.default)?.repair.mode).toBe("auto");
});
