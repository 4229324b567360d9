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

  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Warn…" }).click();
  await dialog.getByLabel("Reason").fill("first time");
  await dialog.getByRole("button", { name: "Warn", exact: true }).click();
  await expect(dialog.getByText("Done for 1 case")).toBeVisible();
  await dialog.getByRole("button", { name: "Close", exact: true }).last().click();
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Limit…" }).click();
  await expect(dialog.getByLabel("Mbit/s in each direction")).toHaveValue("2");
  await dialog.getByLabel("Reason").fill("shared");
  await passesGates(page);
  await picture(page, "abuse-limit");
  await dialog.getByRole("button", { name: "Limit", exact: true }).click();
  await expect(dialog.getByText("Done for 1 case")).toBeVisible();
  await dialog.getByRole("button", { name: "Close", exact: true }).last().click();
  const limited = notes.getByRole("listitem").filter({ hasText: "limited the user" });
  await expect(limited).toContainText("2 Mbit/s, 1 address");
  await inEveryLook(page, "abuse-case-acted", "shared");
  await limited.getByRole("button", { name: "Undo…" }).click();
  await dialog.getByRole("button", { name: "Undo", exact: true }).click();
  await expect(limited).toContainText("Undone");
  const warned = notes.getByRole("listitem").filter({ hasText: "warned the user" });
  await warned.getByRole("button", { name: "Undo…" }).click();
  await dialog.getByRole("button", { name: "Undo", exact: true }).click();
  await expect(warned).toContainText("Undone");

  await page.getByRole("button", { name: "Mute…" }).click();
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

  await page.goto(`${stand.url}/abuse/overview`);
  await inEveryLook(page, "abuse-overview", agent);

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

test("an address is blocked for a time, and is served again when that is undone", async ({ page, stand }) => {
  await signIn(page, stand.url);
  await page.goto(`${stand.url}/abuse/blocks`);
  await page.getByRole("button", { name: "Block an address" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Address or network").fill("127.0.0.1");
  await dialog.getByLabel("Reason").fill("a flood");
  await passesGates(page);
  await picture(page, "abuse-block");
  await dialog.getByRole("button", { name: "Block", exact: true }).click();
  await expect(dialog.getByText(/loopback addresses/)).toBeVisible();
  await picture(page, "abuse-block-refused");
  await dialog.getByLabel("Address or network").fill("198.51.100.7");
  await dialog.getByRole("button", { name: "Block", exact: true }).click();
  const row = page.getByRole("row").filter({ hasText: "198.51.100.7" });
  await expect(row).toContainText("a flood");
  await inEveryLook(page, "abuse-blocks", "198.51.100.7");
  await page.getByRole("button", { name: "Actions for 198.51.100.7" }).click();
  await page.getByRole("menuitem", { name: "Lift…" }).click();
  await passesGates(page);
  await dialog.getByRole("button", { name: "Lift", exact: true }).click();
  await expect(page.getByText("Nothing is blocked")).toBeVisible();
});

test("a complaint leads to whom it is about", async ({ page, stand, populated: { client, flow, token } }) => {
  await tellOfMisuse(stand, agent, `c:${client}`, flow);
  const { items } = await stand.call<{ items: { address: string }[] }>(token, "GET", `/api/v1/nodes?q=${agent}`);
  await signIn(page, stand.url);
  await page.goto(`${stand.url}/abuse/lookups`);
  await inEveryLook(page, "abuse-lookups", /Address in the complaint|Адрес из жалобы/);
  await page.getByLabel("Address in the complaint").fill(items[0]!.address);
  const minutesAgo = await page.evaluate(() => {
    const at = new Date(Date.now() - 300_000);
    return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
  });
  await page.getByLabel("Moment").fill(minutesAgo);
  await page.getByLabel("What it was aimed at").fill("203.0.113.9");
  await page.getByLabel("Reason").fill("complaint 4711");
  await page.getByRole("button", { name: "Find", exact: true }).click();
  const people = page.getByRole("region", { name: "Who it may have been" });
  await expect(people.getByRole("listitem").filter({ hasText: person })).toContainText("Reached for it");
  await inEveryLook(page, "abuse-lookup", person);
  await page.getByRole("link", { name: "Cases of this user" }).first().click();
  await expect(page).toHaveURL(/user_ref=/);
});
