import { administrator, expect, isTold, passesGates, picture, sessionToken, signIn, test } from "../rig/test";

test.describe.configure({ mode: "serial" });

test("first installation: checks, administrator, license, messenger, a node that reports, done", async ({
  page,
  stand,
}) => {
  await page.goto(stand.url);
  await expect(page.getByRole("heading", { name: "Language and checks" })).toBeVisible();
  await expect(page.getByText("connected")).toBeVisible();
  await passesGates(page);
  await page.getByRole("button", { name: "Continue" }).click();

  await expect(page.getByRole("heading", { name: "Administrator" })).toBeVisible();
  await page.getByLabel("Username").fill(administrator.username);
  await page.getByLabel("Password", { exact: true }).fill("short");
  await page.getByRole("button", { name: "Create and continue" }).click();
  await expect(page.locator("#password-error")).toContainText("8 to 128");
  await passesGates(page);
  await page.getByLabel("Password", { exact: true }).fill(administrator.password);
  await page.getByRole("button", { name: "Create and continue" }).click();

  await expect(page.getByRole("heading", { name: "License" })).toBeVisible();
  await page.getByRole("textbox", { name: "License key" }).fill("PNL-WRONG");
  await page.getByRole("button", { name: "Activate and continue" }).click();
  await expect(page.getByRole("alert")).toContainText("license_key_invalid");
  await passesGates(page);
  await page.getByRole("textbox", { name: "License key" }).fill(stand.licenseKey);
  await page.getByRole("button", { name: "Activate and continue" }).click();

  await expect(page.getByRole("heading", { name: "Domain of the panel" })).toBeVisible();
  await passesGates(page);
  await picture(page, "setup-dns");
  await page.getByLabel("Domain").fill(`panel.${stand.accounts.zone}`);
  await page.getByLabel("IP address of this server").fill("203.0.113.10");
  const token = page.getByRole("textbox", { name: "API token of Cloudflare" });
  await token.fill("another-token");
  await page.getByRole("button", { name: "Create the record" }).click();
  await expect(page.getByText("dns_token_refused")).toBeVisible();
  await passesGates(page);
  // The label of the integration is taken, so the record is made and the token cannot be kept.
  const session = await sessionToken(page);
  const taken = await stand.call<{ id: string }>(
    session,
    "POST",
    "/api/v1/dns/integrations",
    stand.accounts.bunny(stand.accounts.zone),
  );
  await token.fill(stand.accounts.cloudflareToken);
  await page.getByRole("button", { name: "Create the record" }).click();
  const outcome = page.getByRole("status").filter({ hasText: "The record exists" });
  await expect(outcome.getByText(`panel.${stand.accounts.zone} A 203.0.113.10`)).toBeVisible();
  await expect(outcome.getByText("The token could not be kept")).toBeVisible();
  await expect(outcome.getByText("was there already")).toBeHidden();
  await passesGates(page);
  await picture(page, "setup-dns-not-kept");
  await page.setViewportSize({ width: 390, height: 844 });
  await passesGates(page);
  await picture(page, "setup-dns-not-kept-390");
  await page.setViewportSize({ width: 1360, height: 860 });
  await stand.call(session, "DELETE", `/api/v1/dns/integrations/${taken.id}`);
  await outcome.getByRole("button", { name: "Retry saving only" }).click();
  await expect(outcome.getByText("was there already")).toBeVisible();
  await expect(outcome.getByText(`kept as the integration ${stand.accounts.zone}`)).toBeVisible();
  expect(stand.accounts.records).toMatchObject([{ type: "A", content: "203.0.113.10" }]);
  await passesGates(page);
  await picture(page, "setup-dns-kept");
  await page.getByRole("button", { name: "Continue" }).click();

  await expect(page.getByRole("heading", { name: "Proxy panel" })).toBeVisible();
  await passesGates(page);
  await page.getByRole("radio", { name: "It is fresh" }).check();
  await expect(page.getByText("PANEL_PROXYPANEL_BOOTSTRAP=true")).toBeVisible();
  await passesGates(page);
  await picture(page, "setup-proxypanel");
  await page.getByRole("button", { name: "Skip" }).click();

  await expect(page.getByRole("heading", { name: "Notifications" })).toBeVisible();
  await passesGates(page);
  await picture(page, "setup-notifications");
  await page.getByRole("textbox", { name: "Bot token" }).fill("7007:token-of-the-journey");
  await page.getByLabel("Chat id").fill("-100200300");
  stand.messenger.refuses(400, "Bad Request: chat not found");
  await page.getByRole("button", { name: "Save and send a test" }).click();
  await expect(page.getByText("Bad Request: chat not found")).toBeVisible();
  await passesGates(page);
  stand.messenger.refuses();
  await page.getByRole("button", { name: "Save and send a test" }).click();
  await expect(page.getByText("Sent. Look at your chat.")).toBeVisible();
  expect(stand.messenger.taken).toHaveLength(1);
  expect(stand.messenger.taken[0]).toMatchObject({ method: "sendMessage", chat: "-100200300" });
  await passesGates(page);
  await page.getByRole("button", { name: "Continue" }).click();

  await expect(page.getByRole("heading", { name: "First node" })).toBeVisible();
  await page.getByLabel("Name").fill("waw-03");
  await page.getByRole("button", { name: "Create and show the command" }).click();
  await expect(page.getByText("Token is shown once")).toBeVisible();
  await passesGates(page);
  await picture(page, "setup-node");
  const command = await page.getByRole("region", { name: "command" }).innerText();
  const issued = /pne_[A-Za-z0-9_-]+/.exec(command)?.[0] ?? "";
  expect(issued, "the command carries an enrolment token").not.toBe("");

  await stand.runAgent("waw-03", issued);
  await expect(page.getByText("measurements arrive")).toBeVisible({ timeout: 90_000 });
  await picture(page, "setup-node-reports");
  await page.getByRole("button", { name: "Continue" }).click();

  await expect(page.getByRole("heading", { name: "Bring what you have" })).toBeVisible();
  await passesGates(page);
  await picture(page, "setup-imports");
  await page.getByRole("button", { name: "Skip" }).click();

  await expect(page.getByRole("heading", { name: "Ready" })).toBeVisible();
  await passesGates(page);
  await page.getByRole("button", { name: "Finish and open the panel" }).click();
  await expect(page.getByRole("heading", { name: "Overview" })).toBeVisible();
  await expect(page.getByText("Fleet 50")).toBeVisible();
  await passesGates(page);
  await picture(page, "overview");
});

test("the installation cannot be opened again", async ({ page, stand }) => {
  await page.goto(`${stand.url}/setup`);
  await expect(page.getByText("The first installation is finished")).toBeVisible();
  await passesGates(page);
});

test("sign-in: a neutral refusal, then the page that was wanted", async ({ page, stand }) => {
  await page.goto(`${stand.url}/nodes`);
  await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
  await page.getByLabel("Username").fill(administrator.username);
  await page.getByLabel("Password", { exact: true }).fill("not the password");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("alert")).toHaveText("Wrong username or password.");
  await passesGates(page);
  await page.getByLabel("Password", { exact: true }).fill(administrator.password);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "Nodes" })).toBeVisible();
  await expect(page).toHaveURL(/\/nodes$/);
});

test("nodes: the list and one node with its charts", async ({ page, stand }) => {
  await signIn(page, stand.url);
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Nodes" }).click();
  await passesGates(page);
  await picture(page, "nodes");
  await page.getByRole("link", { name: "waw-03" }).click();
  await expect(page.getByRole("heading", { name: "waw-03" })).toBeVisible();
  await expect(page.getByText("connected")).toBeVisible();
  await expect(page.getByRole("img", { name: /^CPU and memory/ })).toBeVisible({ timeout: 60_000 });
  await passesGates(page);
  await picture(page, "node");
  for (const tab of ["Domains", "Agent", "Settings"]) {
    await page.getByRole("navigation", { name: "Node" }).getByRole("link", { name: tab }).click();
    await passesGates(page);
  }
});

test("a session that ends keeps what was typed", async ({ page, stand }) => {
  await signIn(page, stand.url);
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Nodes" }).click();
  await page.getByRole("link", { name: "waw-03" }).click();
  await page.getByRole("navigation", { name: "Node" }).getByRole("link", { name: "Settings" }).click();
  await page.getByLabel("City").fill("Warsaw");
  await stand.call(await sessionToken(page), "POST", "/api/v1/auth/logout");
  await page.getByRole("button", { name: "Save" }).click();
  const again = page.getByRole("dialog", { name: "The session has ended" });
  await expect(again).toBeVisible();
  await passesGates(page);
  await expect(again.getByLabel("Username")).toHaveValue(administrator.username);
  await again.getByLabel("Password", { exact: true }).fill(administrator.password);
  await again.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(again).toBeHidden();
  await expect(page.getByLabel("City")).toHaveValue("Warsaw");
  await page.getByRole("button", { name: "Save" }).click();
  await isTold(page, "Saved");
});

test("license: removed, read-only everywhere, activated again", async ({ page, stand }) => {
  await signIn(page, stand.url);
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "License" }).click();
  await passesGates(page);
  await picture(page, "license");
  await page.getByRole("button", { name: "Remove…" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("button", { name: "Remove license" })).toHaveAttribute("aria-disabled", "true");
  await passesGates(page);
  await dialog.getByRole("textbox").fill("REMOVE");
  await dialog.getByRole("button", { name: "Remove license" }).click();
  await expect(page.getByText("Read-only: license removed.")).toBeVisible();
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Nodes" }).click();
  await expect(page.getByRole("button", { name: "Add node" })).toHaveAttribute("aria-disabled", "true");
  await passesGates(page);
  await picture(page, "nodes-read-only");
  await page.getByRole("link", { name: "Activate license" }).click();
  await page.getByRole("button", { name: "Activate license" }).click();
  await page.getByRole("dialog").getByLabel("License key").fill(stand.licenseKey);
  await page.getByRole("dialog").getByRole("button", { name: "Activate license" }).click();
  await expect(page.getByText("Read-only:")).toBeHidden();
});

test("palette, languages, themes and a phone", async ({ page, stand }) => {
  await signIn(page, stand.url);
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("waw");
  await expect(page.getByRole("option", { name: /waw-03/ })).toBeVisible();
  await passesGates(page);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "waw-03" })).toBeVisible();
  // Nobody waits for the palette to be drawn.
  await page.keyboard.press("Control+k");
  await page.keyboard.type("maintenance waw");
  await page.keyboard.press("Enter");
  const act = page.getByRole("dialog", { name: /waw-03/ });
  await expect(act.getByRole("region", { name: "What it hits now" })).toBeVisible();
  await passesGates(page);
  await act.getByRole("button", { name: "Begin maintenance" }).click();
  await expect(act.getByText("Done on 1 node")).toBeVisible();
  await act.getByRole("button", { name: "End maintenance" }).click();
  await expect(act.getByRole("button", { name: "End maintenance" })).toHaveCount(0);
  await expect(act.getByText("Done on 1 node")).toBeVisible();
  await act.getByRole("button", { name: "Close" }).last().click();
  await page.getByRole("button", { name: /^Account/ }).click();
  await passesGates(page);
  await page.getByRole("menuitemradio", { name: "Русский" }).click();
  await page.getByRole("menuitemradio", { name: "Светлая" }).click();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("link", { name: "Домены", exact: true })).toBeVisible();
  await passesGates(page);
  await page.setViewportSize({ width: 390, height: 844 });
  for (const path of ["/", "/nodes", "/license", "/account/sessions", "/account/password"]) {
    await page.goto(stand.url + path);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await passesGates(page);
  }
});
