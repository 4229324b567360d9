import { inEveryLook } from "../rig/looks";
import { test } from "../rig/populated";
import { eventually } from "../rig/processes";
import type { Stand } from "../rig/stand";
import { expect, isTold, passesGates, picture, signIn, signOut } from "../rig/test";

/** Makes an account that has chosen its own password already. */
async function makeAccount(
  stand: Stand,
  token: string,
  { username, password }: { username: string; password: string },
  permissions: readonly string[],
): Promise<void> {
  const first = `made for ${username} by anna`;
  await stand.call(token, "POST", "/api/v1/accounts", { username, password: first, permissions });
  const session = await stand.call<{ token: string }>("", "POST", "/api/v1/auth/login", { username, password: first });
  const change = { current_password: first, new_password: password };
  await stand.call(session.token, "POST", "/api/v1/auth/password", change);
}

test("the matrix shows how nodes and flows do, and leads to who sees what", async ({ page, stand, populated }) => {
  const health = `/api/v1/health/nodes/${populated.node}`;
  await eventually("a node that is judged", 120, async () => {
    const { evidence } = await stand.call<{ evidence: { check: string; at: string | null }[] }>(
      populated.token,
      "GET",
      health,
    );
    return evidence.some(({ check, at }) => check === "heartbeat" && at !== null) ? true : undefined;
  });
  await signIn(page, stand.url);
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Health" }).click();
  const row = page.getByRole("row").filter({ hasText: "fra-01" });
  await expect(row.getByRole("img", { name: "Healthy" }).first()).toBeVisible();
  await inEveryLook(page, "health-matrix", "fra-01");

  await page.getByRole("link", { name: "fra-01" }).click();
  await expect(page.getByRole("heading", { name: "fra-01", level: 1 })).toBeVisible();
  await expect(page.getByRole("region", { name: "Evidence" }).getByText("The node itself").first()).toBeVisible();
  await expect(page.getByRole("region", { name: "Verdict" })).toBeVisible();
  await page.getByRole("button", { name: "Check now" }).click();
  await isTold(page, "Checks are under way");
  await inEveryLook(page, "health-node", "fra-01");

  await page.getByRole("link", { name: "Open node" }).click();
  await page.getByRole("navigation", { name: "Node", exact: true }).getByRole("link", { name: "Checks" }).click();
  await expect(page.getByRole("region", { name: "Verdict" })).toBeVisible();
  await passesGates(page);

  await eventually("a flow that is judged", 240, async () => {
    const path = "/api/v1/health/connection-units?q=Office";
    const { total } = await stand.call<{ total: number }>(populated.token, "GET", path);
    return total > 0 ? true : undefined;
  });
  await page.goto(`${stand.url}/monitoring/flows`);
  await page.getByRole("link", { name: "Office" }).click();
  await expect(page.getByRole("heading", { name: "Office", level: 1 })).toBeVisible();
  await expect(page.getByRole("region", { name: "Evidence" })).toBeVisible();
  await passesGates(page);
  await picture(page, "health-flow");
});

test("a policy says what it means while it is written, and governs its node from then on", async ({
  page,
  stand,
  populated,
}) => {
  await signIn(page, stand.url);
  await page.goto(`${stand.url}/monitoring/policies`);
  await expect(page.getByRole("region", { name: "Everything else" })).toBeVisible();
  await page.getByRole("button", { name: "New policy" }).click();
  const dialog = page.getByRole("dialog", { name: "New policy" });
  await dialog.getByRole("textbox", { name: "Name" }).fill("Frankfurt alone");
  await dialog.getByRole("combobox", { name: "Counts for" }).click();
  await page.getByRole("option", { name: "Node", exact: true }).click();
  await dialog.getByRole("combobox", { name: "Node" }).fill("fra");
  await page.getByRole("option", { name: "fra-01" }).click();
  await dialog.getByRole("textbox", { name: "Places that must agree" }).fill("1");
  await expect(dialog.getByText(/Down when 1 place sees/)).toBeVisible();
  for (const check of ["Tunnel to the exit", "Certificate ends soon", "Load of the node"]) {
    await dialog.getByRole("combobox", { name: "Add a check" }).click();
    await page.getByRole("option", { name: check }).click();
  }
  await dialog.getByRole("group", { name: "Load of the node" }).getByRole("textbox", { name: /Limit/ }).fill("80");
  await passesGates(page);
  await picture(page, "health-policy-dialog");
  await dialog.getByRole("group", { name: "Load of the node" }).scrollIntoViewIfNeeded();
  await picture(page, "health-policy-checks");
  await dialog.getByRole("button", { name: "Save" }).click();
  await isTold(page, "Frankfurt alone is saved");
  const card = page.getByRole("region", { name: "Frankfurt alone" });
  await expect(card.getByText("Counts for 1 node")).toBeVisible();
  await expect(card.getByText(/Processor above 80 %/)).toBeVisible();
  await inEveryLook(page, "health-policies", "fra-01");

  await card.getByRole("link", { name: "fra-01" }).click();
  await expect(page.getByRole("link", { name: "Frankfurt alone" })).toBeVisible();
  await page.goBack();
  await page.getByRole("button", { name: "Remove Frankfurt alone…" }).click();
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  await expect(card).toHaveCount(0);
  const governing = async () => {
    const path = `/api/v1/health/nodes/${populated.node}`;
    return (await stand.call<{ policy_name: string }>(populated.token, "GET", path)).policy_name;
  };
  await expect.poll(governing).toBe("Everything");
});

test("whoever may only look changes nothing, and whoever may not look sees nothing", async ({
  page,
  stand,
  populated,
}) => {
  const watcher = { username: "vera", password: "a sentence for vera" };
  const stranger = { username: "stan", password: "a sentence for stan" };
  for (const [who, permissions] of [
    [watcher, ["health.view"]],
    [stranger, ["nodes.view"]],
  ] as const) {
    await makeAccount(stand, populated.token, who, permissions);
  }
  await signIn(page, stand.url, watcher);
  await page.goto(`${stand.url}/monitoring/policies`);
  await expect(page.getByRole("button", { name: /^New policy/ })).toHaveAttribute("aria-disabled", "true");
  await passesGates(page);
  await page.goto(`${stand.url}/monitoring/nodes/${populated.node}`);
  await expect(page.getByRole("button", { name: /^Check now/ })).toHaveAttribute("aria-disabled", "true");
  await expect(page.getByRole("link", { name: "Open node" })).toHaveCount(0);
  await signOut(page);

  await signIn(page, stand.url, stranger);
  await expect(page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Health" })).toHaveCount(0);
  await page.goto(`${stand.url}/monitoring`);
  await expect(page.getByText("health.view").first()).toBeVisible();
});
