import { inEveryLook } from "../rig/looks";
import { reportingNode, servingFlow, test } from "../rig/populated";
import { eventually } from "../rig/processes";
import { expect, passesGates, picture, signIn } from "../rig/test";

const server = "waw-02";

test("a server that goes down is one line of the overview, one incident, and ends by hand or by itself", async ({
  page,
  stand,
  populated: { token },
}) => {
  test.setTimeout(900_000);
  const get = <T>(path: string) => stand.call<T>(token, "GET", `/api/v1${path}`);
  const node = await reportingNode(stand, token, server);
  const { flow } = await servingFlow(stand, token, "Warsaw", node);
  await eventually("a flow that is seen well", 240, async () => {
    const { state } = await get<{ state: string }>(`/health/connection-units/${flow}`);
    return state === "up" ? true : undefined;
  });
  await stand.stopAgent(server);
  await eventually("an incident of the node and its flow", 240, async () => {
    const { items } = await get<{ items: { suffering: number }[] }>(
      `/health/incidents?state=unresolved&subject_id=${node}`,
    );
    return items[0]?.suffering === 2 ? true : undefined;
  });
  await eventually("the list of nodes, which sees it as well", 120, async () => {
    const { state } = await get<{ state: string }>(`/nodes/${node}`);
    return state !== "online" ? true : undefined;
  });

  await signIn(page, stand.url);
  const attention = page.getByRole("region", { name: "Needs attention" });
  const line = attention.getByRole("listitem").filter({ hasText: server });
  await expect(line.getByText("2 lines about the same are left out")).toBeVisible();
  await expect(line, "one cause is one line").toHaveCount(1);
  await expect(attention.getByRole("listitem").filter({ hasText: "Warsaw" })).toHaveCount(0);
  await inEveryLook(page, "overview-incident", /lines about the same are left out|строки о том же скрыты/);

  await line.getByRole("link", { name: "Open" }).click();
  await expect(page.getByRole("heading", { name: server, level: 1 })).toBeVisible();
  const sufferers = page.getByRole("region", { name: "Who is affected" });
  await expect(sufferers.getByText("2 of 2 still")).toBeVisible();
  await sufferers
    .getByText(/^What \d+ places? saw then$/)
    .first()
    .click();
  await expect(sufferers.getByText("Panel", { exact: true }).first()).toBeVisible();
  await page.getByRole("button", { name: "Acknowledge…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel(/Note/).fill("calling the hoster");
  await passesGates(page);
  await picture(page, "incident-acknowledge");
  await dialog.getByRole("button", { name: "Acknowledge", exact: true }).click();
  const happened = page.getByRole("region", { name: "What happened" });
  await expect(happened.getByText("calling the hoster")).toBeVisible();
  await expect(page.getByRole("button", { name: "Acknowledge…" })).toHaveCount(0);
  await inEveryLook(page, "incident", /calling the hoster/);

  await page.goto(`${stand.url}/monitoring/incidents?state=unresolved`);
  const row = page.getByRole("row").filter({ hasText: server });
  await expect(row.getByText("Acknowledged")).toBeVisible();
  await expect(row.getByText("1 node, 1 flow")).toBeVisible();
  await inEveryLook(page, "incidents", server);

  await row.getByRole("link", { name: server }).click();
  await page.getByRole("button", { name: "Resolve…" }).click();
  await expect(dialog.getByText("2 nodes and flows still suffer from it.")).toBeVisible();
  await passesGates(page);
  await picture(page, "incident-resolve");
  await dialog.getByRole("button", { name: "Resolve", exact: true }).click();
  await expect(happened.getByText("Resolved by anna.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Resolve…" })).toHaveCount(0);

  // Nobody works on it any more, so what the lists of nodes and flows know stands there for itself again.
  await page.goto(stand.url);
  await expect(attention.getByRole("listitem").filter({ hasText: /^Warsaw/ })).toBeVisible();

  await page.goto(`${stand.url}/monitoring/incidents?state=resolved`);
  await expect(page.getByRole("row").filter({ hasText: server }).getByText("Resolved")).toBeVisible();
  stand.startAgent(server);
  await eventually("a node that is well again", 180, async () => {
    const { state } = await get<{ state: string }>(`/health/nodes/${node}`);
    return state === "up" ? true : undefined;
  });
  await page.goto(`${stand.url}/monitoring/nodes/${node}`);
  await expect(page.getByRole("heading", { name: server, level: 1 })).toBeVisible();
  await expect(page.getByText("Part of an incident:")).toHaveCount(0);
});
