import { inEveryLook } from "../rig/looks";
import { test } from "../rig/populated";
import { expect, isTold, passesGates, picture, signIn } from "../rig/test";
import { tellOfMisuse, tellOfSharing } from "../rig/told";

const agent = "fra-01";
const person = "anna's phone";

test("what agents tell of a user is found, explained and allowed", async ({ page, stand, populated }) => {
  test.setTimeout(900_000);
  const { client, flow } = populated;
  await tellOfSharing(stand, agent, `c:${client}`);
  await tellOfMisuse(stand, agent, `c:${client}`, flow);

  await signIn(page, stand.url);
  await page.getByRole("link", { name: "Abuse" }).click();
  await page.goto(`${stand.url}/abuse/signals`);
  const table = page.getByRole("table", { name: "Signals" });
  await expect(table.getByRole("row").filter({ hasText: "Torrent" })).toContainText(person);
  await inEveryLook(page, "abuse-signals", "tracker.example.org:6969");

  await page.getByRole("link", { name: "Port scan", exact: true }).click();
  await expect(page).toHaveURL(/kind=port_scan/);
  await expect(table.getByRole("row").filter({ hasText: "Torrent" })).toHaveCount(0);
  await page.reload();
  await expect(
    table.getByRole("row").filter({ hasText: "203.0.113.9:22" }),
    "the address restores the view",
  ).toBeVisible();

  await table.getByRole("button", { name: "Port scan" }).click();
  const drawer = page.getByRole("dialog");
  await expect(drawer.getByText("96 addresses on port 22 within a minute")).toBeVisible();
  await expect(drawer.getByText(/the address is not kept/)).toBeVisible();
  await passesGates(page);
  await picture(page, "abuse-evidence");
  await drawer.getByRole("link", { name: person }).click();

  await expect(page.getByRole("heading", { name: person, level: 1 })).toBeVisible();
  await expect(page.getByRole("region", { name: "Sessions by network" }).getByText("Hetzner")).toBeVisible();
  await expect(page.getByRole("region", { name: "Not seen" }).getByText(agent)).toBeVisible();
  await inEveryLook(page, "abuse-subject", "Hetzner");
  await page.getByRole("link", { name: "Open the client" }).click();
  await expect(page.getByText("2 signals in the last 7 days.")).toBeVisible();
  await page.getByRole("link", { name: "Sessions and signals" }).click();

  await page.getByRole("button", { name: "Allow…" }).click();
  await page.getByRole("dialog").getByLabel("Reason").fill("one household, asked");
  await passesGates(page);
  await picture(page, "abuse-allow");
  await page.getByRole("dialog").getByRole("button", { name: "Allow", exact: true }).click();
  await isTold(page, `${person} is allowed`);
  await page.goto(`${stand.url}/abuse/signals`);
  await expect(page.getByText("No signals", { exact: true })).toBeVisible();
  await page.goto(`${stand.url}/abuse/allowlist`);
  await expect(page.getByText("one household, asked")).toBeVisible();
  await inEveryLook(page, "abuse-allowlist", person);
  await page.getByRole("button", { name: `Actions for ${person}` }).click();
  await page.getByRole("menuitem", { name: "Take from the list…" }).click();
  await passesGates(page);
  await page.getByRole("button", { name: "Take from the list", exact: true }).click();
  await isTold(page, `${person} is no longer allowed`);

  await page.goto(`${stand.url}/abuse/agents`);
  await expect(page.getByRole("row").filter({ hasText: agent }).getByText("sees 0 of 1 whole")).toBeVisible();
  await inEveryLook(page, "abuse-agents", agent);
});
