import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { test } from "../rig/ready";
import {
  administrator,
  expect,
  isTold,
  passesGates,
  picture,
  sessionToken,
  showPassword,
  signIn,
  signOut,
} from "../rig/test";
import { totp } from "../rig/totp";
import { entryOf, exportsTheJournal, filtersByAction, readsAnEntry } from "../rig/journal";

test.describe.configure({ mode: "serial" });

const oleg = { username: "oleg", password: "another long sentence" };
const handedOver = "made for oleg by anna";
let olegId = "";
let recoveryCodes: string[] = [];

const nav = (page: Page) => page.getByRole("navigation", { name: "Main" });

test("an administrator makes a limited account", async ({ page, stand, ready }) => {
  await signIn(page, stand.url);
  await nav(page).getByRole("link", { name: "Accounts" }).click();
  await page.getByRole("link", { name: "Add account" }).click();
  await page.getByLabel("Username").fill(oleg.username);
  await page.getByRole("button", { name: "Generate" }).click();
  await expect(page.getByRole("textbox", { name: "New password" })).toHaveValue(/^.{16}$/);
  await page.getByRole("textbox", { name: "New password" }).fill(handedOver);
  for (const key of ["nodes.view", "accounts.view", "accounts.manage"])
    await page.getByRole("checkbox", { name: new RegExp(`^${key.replace(".", "\\.")}`) }).click();
  await passesGates(page);
  await picture(page, "account-new");
  await page.getByRole("button", { name: "Create account" }).click();
  await expect(page.getByRole("heading", { name: "oleg" })).toBeVisible();
  olegId = page.url().split("/").at(-1) ?? "";
  expect(
    (await stand.call<{ permissions: string[] }>(ready.token, "GET", `/api/v1/accounts/${olegId}`)).permissions,
  ).toEqual(["accounts.manage", "accounts.view", "nodes.view"]);
  await passesGates(page);

  await page.getByRole("link", { name: "Accounts" }).first().click();
  await page.getByRole("button", { name: "Change the permissions of oleg" }).click();
  await page.getByRole("checkbox", { name: "nodes.edit for oleg" }).click();
  await expect(page.getByText("gains nodes.edit")).toBeVisible();
  await passesGates(page);
  await picture(page, "matrix");
  // Keys keep their names when the people are scrolled, also where there is little room.
  await page.setViewportSize({ width: 768, height: 600 });
  const matrix = page.getByRole("region", { name: "Permissions by person" });
  const key = matrix.getByRole("rowheader", { name: /nodes\.edit/ });
  // A row starts below the names of the people, none lies half under them.
  await key.evaluate((head) => head.scrollIntoView({ block: "start" }));
  await matrix.evaluate((frame) => frame.scrollTo(2_000, frame.scrollTop));
  await expect(key).toBeInViewport();
  await expect(matrix.getByRole("columnheader").last()).toBeInViewport();
  await passesGates(page);
  await page.setViewportSize({ width: 1360, height: 860 });
  await page.getByRole("button", { name: "Save" }).click();
  await isTold(page, "Permissions of oleg saved");

  await page.getByRole("button", { name: "Change the permissions of anna" }).click();
  await expect(page.getByRole("checkbox", { name: "Full access for anna" })).toHaveAccessibleDescription(
    /last account with full access/,
  );
});

test("it chooses a password of its own before anything else", async ({ page, stand }) => {
  await showPassword(page, stand.url, { ...oleg, password: handedOver });
  await expect(page.getByRole("heading", { name: "Choose your own password" })).toBeVisible();
  await page.goto(`${stand.url}/nodes`);
  await expect(page.getByRole("heading", { name: "Choose your own password" })).toBeVisible();
  await passesGates(page);
  for (const [width, height] of [
    [390, 844],
    [1360, 860],
  ] as const) {
    await page.setViewportSize({ width, height });
    for (const colorScheme of ["dark", "light"] as const) {
      await page.emulateMedia({ colorScheme });
      await passesGates(page);
      await picture(page, `new-password-${width}-${colorScheme}`);
    }
  }
  await page.getByRole("button", { name: "Set password" }).click();
  await expect(page.getByText("Enter the current password")).toBeVisible();
  await page.getByLabel("Current password").fill(handedOver);
  await page.getByLabel("New password", { exact: true }).fill(handedOver);
  await page.getByRole("button", { name: "Set password" }).click();
  await expect(page.getByText("this is the password that has to be changed")).toBeVisible();
  await page.getByLabel("New password", { exact: true }).fill(oleg.password);
  await page.getByRole("button", { name: "Set password" }).click();
  await expect(page).toHaveURL(/\/nodes$/);
  await expect(nav(page)).toBeVisible();
});

test("it sees what it may, and every refusal says why", async ({ page, stand, ready }) => {
  await signIn(page, stand.url, oleg);
  await expect(nav(page).getByRole("link", { name: "Flows" })).toBeHidden();
  await expect(nav(page).getByRole("link", { name: "Journal" })).toBeHidden();
  await page.goto(`${stand.url}/audit`);
  await expect(page.getByRole("heading", { name: "You have no access to this page" })).toBeVisible();
  await expect(page.getByText("audit.view")).toBeVisible();
  await passesGates(page);
  await picture(page, "no-permission");

  await page.goto(`${stand.url}/accounts?edit=${olegId}`);
  await expect(page.getByRole("checkbox", { name: "license.manage for oleg" })).toHaveAccessibleDescription(
    "You lack license.manage, so you cannot grant it",
  );
  await passesGates(page);
  await picture(page, "matrix-limited");
  await page.getByRole("button", { name: "Change the permissions of anna" }).click();
  await expect(page.getByRole("checkbox", { name: "nodes.view for anna" })).toHaveAccessibleDescription(
    "This account holds permissions that you lack: *",
  );
  await nav(page).getByRole("link", { name: "License" }).click();
  await expect(page.getByRole("button", { name: /^Remove…/ })).toHaveAccessibleDescription(
    "Needs the permission license.manage",
  );

  // A change works at the next request and ends no session.
  await nav(page).getByRole("link", { name: "Accounts" }).click();
  const { revision } = await stand.call<{ revision: number }>(ready.token, "GET", `/api/v1/accounts/${olegId}`);
  await stand.call(ready.token, "PATCH", `/api/v1/accounts/${olegId}`, { permissions: ["nodes.view"], revision });
  await page.goto(`${stand.url}/accounts/new`);
  await expect(page.getByRole("heading", { name: "You have no access to this page" })).toBeVisible();
  await nav(page).getByRole("link", { name: "Nodes" }).click();
  await expect(page.getByRole("button", { name: "Add node" })).toHaveAccessibleDescription(
    "Needs the permission nodes.edit",
  );
});

test("second factor: set up, sign in with a code and with a recovery code", async ({ page, stand }) => {
  await signIn(page, stand.url, oleg);
  await page.getByRole("button", { name: /^Account / }).click();
  await page.getByRole("menuitem", { name: "My security" }).click();
  await passesGates(page);
  await page.getByRole("button", { name: "Set up" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Your password").fill("not the password");
  await dialog.getByRole("button", { name: "Continue" }).click();
  await expect(dialog.getByText("This is not your password")).toBeVisible();
  await dialog.getByLabel("Your password").fill(oleg.password);
  await dialog.getByRole("button", { name: "Continue" }).click();
  await expect(dialog.getByRole("img", { name: "QR code for the authenticator app" })).toBeVisible();
  const secret = (await dialog.getByLabel("key of the authenticator app", { exact: true }).innerText()).replaceAll(
    /\s/g,
    "",
  );
  await passesGates(page);
  await picture(page, "totp-setup");
  await dialog.getByLabel("Code from the app").fill(totp(secret, 40));
  await dialog.getByRole("button", { name: "Switch on" }).click();
  await expect(dialog.getByText("This is not the code that the app shows now")).toBeVisible();
  await dialog.getByLabel("Code from the app").fill(totp(secret));
  await dialog.getByRole("button", { name: "Switch on" }).click();

  await expect(dialog.getByRole("listitem")).toHaveCount(10);
  await passesGates(page);
  await picture(page, "recovery-codes");
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    dialog.getByRole("button", { name: "Download" }).click(),
  ]);
  recoveryCodes = await dialog.getByRole("listitem").allInnerTexts();
  expect(readFileSync(await file.path(), "utf8")).toContain(recoveryCodes.join("\n"));
  await expect(dialog.getByRole("button", { name: "Done" })).toHaveAttribute("aria-disabled", "true");
  await dialog.getByLabel("I have kept the codes").click();
  await dialog.getByRole("button", { name: "Done" }).click();
  await expect(page.getByText("10 of 10 left")).toBeVisible();
  await passesGates(page);
  await picture(page, "second-factor");

  await signOut(page);
  await showPassword(page, stand.url, oleg);
  await page.getByLabel("Code", { exact: true }).fill("000000");
  await page.getByRole("button", { name: "Confirm" }).click();
  await expect(page.getByRole("alert")).toContainText("This was not right");
  await passesGates(page);
  await picture(page, "second-step");
  // The code of the confirmation is spent; the panel takes that of the next half minute.
  await page.getByLabel("Code", { exact: true }).fill(totp(secret, 1));
  await page.getByRole("button", { name: "Confirm" }).click();
  await expect(page.getByRole("heading", { name: "Overview" })).toBeVisible();

  await signOut(page);
  await showPassword(page, stand.url, oleg);
  await page.getByRole("button", { name: "Use a recovery code" }).click();
  await page.getByLabel("Recovery code").fill(recoveryCodes[0]!.toUpperCase());
  await page.getByRole("button", { name: "Confirm" }).click();
  await expect(page.getByRole("heading", { name: "Overview" })).toBeVisible();
  await page.goto(`${stand.url}/account/security`);
  await expect(page.getByText("9 of 10 left")).toBeVisible();
});

test("a passkey is made, signs in, and is removed", async ({ page, stand }) => {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  await signIn(page, stand.url);
  await page.goto(`${stand.url}/account/security`);
  await page.getByRole("button", { name: "Add passkey" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Work laptop");
  await dialog.getByLabel("Your password").fill(administrator.password);
  await passesGates(page);
  await dialog.getByRole("button", { name: "Continue" }).click();
  await expect(page.getByRole("list", { name: "Passkeys" }).getByText("Work laptop")).toBeVisible();
  await passesGates(page);
  await picture(page, "passkeys");

  await signOut(page);
  await showPassword(page, stand.url, administrator);
  await passesGates(page);
  await page.getByRole("button", { name: "Use a passkey" }).click();
  await expect(page.getByRole("heading", { name: "Overview" })).toBeVisible();
  await page.goto(`${stand.url}/account/security`);
  await page.getByRole("button", { name: "Remove the passkey Work laptop" }).click();
  await page.getByRole("dialog").getByLabel("Your password").fill(administrator.password);
  await passesGates(page);
  await picture(page, "passkey-remove");
  await page.getByRole("dialog").getByRole("button", { name: "Remove passkey" }).click();
  await isTold(page, "Passkey removed");
});

test("a session is ended from elsewhere", async ({ page, stand, browser }) => {
  await signIn(page, stand.url);
  const elsewhere = await browser.newContext({ userAgent: "Mozilla/5.0 (Windows NT 10.0; Win64; x64) Firefox/140.0" });
  const other = await elsewhere.newPage();
  await signIn(other, stand.url);
  await page.goto(`${stand.url}/account/sessions`);
  await page.getByRole("button", { name: "End the session Firefox, Windows" }).click();
  await expect(page.getByText("Firefox, Windows")).toBeHidden();
  await passesGates(page);
  // The page of the ended session says so by itself, whether or not anybody touches it.
  await expect(other.getByRole("dialog", { name: "The session has ended" })).toBeVisible();
  await elsewhere.close();

  await page.goto(`${stand.url}/accounts/${olegId}`);
  const ends = page.getByRole("button", { name: /^End the session/ });
  await expect(ends.first()).toBeVisible();
  const before = await ends.count();
  await ends.first().click();
  await expect(ends).toHaveCount(before - 1);
});

test("the journal shows it all", async ({ page, stand, ready }) => {
  await signIn(page, stand.url);
  await nav(page).getByRole("link", { name: "Journal" }).click();
  await passesGates(page);
  await picture(page, "audit");
  for (const words of ["Session ended", "Second factor changed", "Signed in"])
    await expect(page.getByText(words).first()).toBeVisible();
  await expect(page.getByText("account.login_ok")).toHaveCount(0);
  await page.getByRole("switch", { name: "Codes" }).click();
  await expect(page.getByText("account.login_ok").first()).toBeVisible();

  await filtersByAction(page);
  await readsAnEntry(page);
  await exportsTheJournal(page);

  await page.getByRole("button", { name: "Verify" }).click();
  await expect(page.getByText("The journal is intact.")).toBeVisible();
  await passesGates(page);
  await picture(page, "audit-verified");
  const { items } = await stand.call<{ items: { id: string }[] }>(
    ready.token,
    "GET",
    "/api/v1/audit?result=denied&limit=1",
  );
  await page.goto(`${stand.url}/audit?result=ok&entry=${items[0]?.id}`);
  await expect(
    entryOf(page)
      .getByRole("definition")
      .filter({ hasText: /^Denied/ }),
  ).toBeVisible();
});

test("the license goes: read-only everywhere, and told apart from a missing permission", async ({
  page,
  stand,
  ready,
}) => {
  await signIn(page, stand.url);
  await page.goto(`${stand.url}/accounts/new`);
  await page.getByLabel("Username").fill("late");
  await page.getByRole("textbox", { name: "New password" }).fill("a long enough one");
  // The page learns of the lost license from the refusal alone.
  await page.route("**/api/v1/license/status", async (route) => route.abort());
  await stand.call(ready.token, "POST", "/api/v1/license/remove");
  await page.getByRole("button", { name: "Create account" }).click();
  await expect(page.getByRole("alert")).toContainText("license_read_only");
  await expect(page.getByRole("link", { name: "Open the license" })).toBeVisible();
  await page.unroute("**/api/v1/license/status");
  await passesGates(page);
  await picture(page, "read-only-refusal");

  page.on("dialog", (dialog) => void dialog.accept());
  const reason = "Changes are off until a license is active";
  for (const [path, name] of [
    ["/nodes", "Add node"],
    ["/flows", "New flow"],
    ["/accounts", "Add account"],
    [`/accounts/${olegId}`, "Rename…"],
  ] as const) {
    await page.goto(stand.url + path);
    await expect(page.getByText("Read-only: license removed.")).toBeVisible();
    await expect(page.getByRole("button", { name: new RegExp(`^${name}`) }).first()).toHaveAccessibleDescription(
      reason,
    );
  }
  await passesGates(page);
  await picture(page, "account-read-only");
  await page.goto(`${stand.url}/accounts?edit=${olegId}`);
  await expect(page.getByRole("checkbox", { name: "nodes.view for oleg" })).toHaveAccessibleDescription(reason);
  await page.goto(`${stand.url}/account/security`);
  await expect(page.getByRole("button", { name: "Set up" })).not.toHaveAttribute("aria-disabled", "true");

  await signOut(page);
  await showPassword(page, stand.url, oleg);
  await page.getByRole("button", { name: "Use a recovery code" }).click();
  // A recovery code works once.
  await page.getByLabel("Recovery code").fill(recoveryCodes[0]!);
  await page.getByRole("button", { name: "Confirm" }).click();
  await expect(page.getByRole("alert")).toContainText("This was not right");
  await page.getByLabel("Recovery code").fill(recoveryCodes[1]!);
  await page.getByRole("button", { name: "Confirm" }).click();
  await expect(page.getByRole("heading", { name: "Overview" })).toBeVisible();
  await page.goto(`${stand.url}/nodes`);
  await expect(page.getByRole("button", { name: "Add node" })).toHaveAccessibleDescription(
    "Needs the permission nodes.edit",
  );
  await stand.call(ready.token, "POST", "/api/v1/license/activate", { license_key: stand.licenseKey });
});

test("both themes, both widths, both languages", async ({ page, stand, ready }) => {
  await signIn(page, stand.url);
  const { items } = await stand.call<{ items: { id: string }[] }>(
    ready.token,
    "GET",
    "/api/v1/audit?action=account.permissions_changed&limit=1",
  );
  const paths = [
    "/accounts",
    "/accounts?view=people",
    `/accounts/${olegId}`,
    "/accounts/new",
    `/audit?entry=${items[0]?.id}`,
    "/account/security",
    "/license",
  ];
  for (const [theme, width, language] of [
    ["dark", 390, "ru"],
    ["light", 1360, "ru"],
  ] as const) {
    await page.setViewportSize({ width, height: 844 });
    await page.evaluate(
      ([scheme, tongue]) => (
        localStorage.setItem("panel-theme", scheme),
        localStorage.setItem("panel-language", tongue)
      ),
      [theme, language] as const,
    );
    for (const path of paths) {
      await page.goto(stand.url + path);
      await expect(page.getByRole("heading", { level: 1 })).toBeAttached();
      await passesGates(page);
    }
  }
  expect(await sessionToken(page)).not.toBe("");
});
