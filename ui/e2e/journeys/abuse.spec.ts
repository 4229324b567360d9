import { inEveryLook } from "../rig/looks";
import { test } from "../rig/populated";
import { eventually } from "../rig/processes";
import { expect, isTold, passesGates, picture, signIn } from "../rig/test";
import { tellOfCoverage, tellOfMisuse, tellOfSharing } from "../rig/told";

interface Found {
  items: { id: string; number: number }[];
}

const agent = "fra-01";
const person = "anna's phone";

test.beforeAll(async ({ stand, populated: { client, flow } }) => {
  await tellOfSharing(stand, agent, `c:${client}`);
  await tellOfMisuse(stand, agent, `c:${client}`, flow);
});

test("a shared account becomes a case, which explains itself and is closed by people", async ({
  page,
  stand,
  populated,
}) => {
  test.setTimeout(900_000);
  const { token } = populated;
  const found = await eventually("a case of the account", 300, async () => {
    const { items } = await stand.call<Found>(token, "GET", "/api/v1/abuse/cases?state=open");
    return items[0];
  });
  const name = `Case ${found.number}`;

  await signIn(page, stand.url);
  await expect(page.getByRole("link", { name: /^Abuse/ })).toContainText("1");
  await page.getByRole("link", { name: /^Abuse/ }).click();
  await expect(page.getByRole("row").filter({ hasText: name })).toContainText(person);
  await inEveryLook(page, "abuse-cases", person);
  await page.getByRole("textbox", { name: "Find a user or a number" }).fill("nobody");
  await expect(page.getByText("No case matches")).toBeVisible();
  await page.getByRole("button", { name: "Clear filters" }).click();

  await tellOfCoverage(stand, agent);
  await page.getByRole("link", { name, exact: true }).click();
  await expect(page.getByRole("heading", { name, level: 1 })).toBeVisible();
  const score = page.getByRole("region", { name: "Score" });
  await expect(score.getByText(/^different countries at once/)).toBeVisible();
  await expect(score.getByText("no hardware ids are known")).toBeVisible();
  const evidence = page.getByRole("region", { name: "Evidence" });
  await expect(evidence.getByText(/Moscow \(RU\)/).first()).toBeVisible();
  await expect(evidence.getByText(`${agent} does not see all sessions of`)).toBeVisible();
  await inEveryLook(page, "abuse-case", "Hetzner");

  await page.getByRole("textbox", { name: "Add a note" }).fill("Asked the reseller, they say one household.");
  await page.keyboard.press("Control+Enter");
  const notes = page.getByRole("region", { name: "Notes" });
  await expect(notes.getByRole("listitem").filter({ hasText: "one household" })).toContainText("anna");

  await page.getByRole("button", { name: "Mute…" }).click();
  const dialog = page.getByRole("dialog");
  await passesGates(page);
  await picture(page, "abuse-mute");
  await dialog.getByRole("button", { name: "Mute", exact: true }).click();
  await dialog.getByRole("button", { name: "Close", exact: true }).last().click();
  await expect(page.getByText(/^left alone until/)).toBeVisible();

  await page.getByRole("button", { name: "Dismiss…" }).click();
  await dialog.getByLabel("Note").fill("a family");
  await passesGates(page);
  await picture(page, "abuse-dismiss");
  await dialog.getByRole("button", { name: "Dismiss", exact: true }).click();
  await expect(dialog.getByText("Done for 1 case")).toBeVisible();
  await dialog.getByRole("button", { name: "Close", exact: true }).last().click();
  await expect(page.getByText("closed by anna")).toBeVisible();
  await page.getByRole("button", { name: "Open again…" }).click();
  await dialog.getByRole("button", { name: "Open again", exact: true }).click();
  await expect(dialog.getByText("Done for 1 case")).toBeVisible();
  await dialog.getByRole("button", { name: "Close", exact: true }).last().click();
  await expect(page.getByRole("button", { name: "Dismiss…" })).toBeVisible();

  await page.goto(`${stand.url}/abuse`);
  await page.getByRole("checkbox", { name: `Select ${name}` }).check();
  await passesGates(page);
  await picture(page, "abuse-cases-selected");
  await page.getByRole("region", { name: "Selection" }).getByRole("button", { name: "Dismiss…" }).click();
  await dialog.getByRole("button", { name: "Dismiss", exact: true }).click();
  await expect(dialog.getByText("Done for 1 case")).toBeVisible();
  await dialog.getByRole("button", { name: "Close", exact: true }).last().click();
  await expect(page.getByText("No open cases")).toBeVisible();

  await page.goto(`${stand.url}/settings/abuse`);
  await expect(page.getByLabel("Warn from")).toHaveValue("40");
  await page.getByText("What counts how much").click();
  await inEveryLook(page, "abuse-settings", /What agents look for|Что ищут агенты/);
});

test("what agents tell of a user is found, explained and allowed", async ({ page, stand }) => {
  test.setTimeout(900_000);
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
  await tellOfCoverage(stand, agent);
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
  await expect(
    page
      .getByRole("row")
      .filter({ hasText: agent })
      .getByText(/^sees /),
  ).toBeVisible();
  await inEveryLook(page, "abuse-agents", agent);
});
