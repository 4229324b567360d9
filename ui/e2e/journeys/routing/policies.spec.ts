import type { Page } from "@playwright/test";
import { inBothThemes } from "../../rig/looks";
import { test } from "../../rig/populated";
import { eventually } from "../../rig/processes";
import { expect, isTold, passesGates, picture, signIn } from "../../rig/test";
import type { Stand } from "../../rig/stand";

const looks = [
  ["en", "dark", 1360],
  ["ru", "dark", 768],
  ["ru", "light", 390],
] as const;

/** Draws an address in both languages and themes, and on a phone. */
async function inEveryLook(page: Page, address: string, name: string, level = 2): Promise<void> {
  for (const [language, theme, width] of looks) {
    await page.evaluate(
      ([to, paint]) => (localStorage.setItem("panel-language", to), localStorage.setItem("panel-theme", paint)),
      [language, theme] as const,
    );
    await page.setViewportSize({ width, height: 900 });
    await page.goto(address);
    await expect(page.locator("html")).toHaveAttribute("lang", language);
    await expect(page.getByRole("heading", { level }).first()).toBeVisible();
    await passesGates(page);
    await picture(page, `${name}-${language}-${theme}-${width}`);
  }
  await page.evaluate(
    () => (localStorage.setItem("panel-language", "en"), localStorage.setItem("panel-theme", "dark")),
  );
  await page.setViewportSize({ width: 1360, height: 860 });
}

test("a policy that forbids the protocol of a flow refuses its plan and names the rule", async ({
  page,
  stand,
  populated,
}) => {
  const call = <T>(method: string, path: string, body?: unknown) =>
    stand.call<T>(populated.token, method, `/api/v1${path}`, body);
  const { id } = await call<{ id: string }>("POST", "/connection-units", {
    name: "Ruled office",
    graph: {
      nodes: [
        {
          key: "entry",
          kind: "entry",
          node_id: populated.node,
          params: { listener: { protocol: "shadowsocks2022", port: 28451 } },
        },
        { key: "exit", kind: "exit", node_id: populated.node },
      ],
      edges: [{ from: "entry", to: "exit" }],
    },
  });
  await signIn(page, stand.url);
  await page.goto(`${stand.url}/policies`);
  await page.getByRole("button", { name: "New policy" }).click();
  const dialog = page.getByRole("dialog", { name: "New policy" });
  await dialog.getByRole("textbox", { name: "Name" }).fill("Only VLESS");
  await dialog.getByRole("combobox", { name: "Protocols of clients" }).press("ArrowDown");
  await page.getByRole("option", { name: "VLESS" }).click();
  await dialog.getByRole("combobox", { name: "Add a rule" }).press("ArrowDown");
  await page.getByRole("option", { name: "Allowed security" }).click();
  const rule = dialog.getByRole("group", { name: "Allowed security" });
  await rule.getByRole("textbox", { name: "What you call it (optional)" }).fill("Never in plain sight");
  await rule.getByRole("combobox").press("ArrowDown");
  await page.getByRole("option", { name: "REALITY" }).click();
  await dialog.getByRole("combobox", { name: "Flows that obey it" }).fill("Ruled");
  await page.getByRole("option", { name: "Ruled office" }).click();
  await dialog.getByRole("textbox", { name: "Name" }).focus();
  await passesGates(page);
  await picture(page, "policies-dialog");
  await dialog.getByRole("button", { name: "Save" }).click();

  const card = page.getByRole("region", { name: "Only VLESS" });
  await expect(card.getByText("Clients connect by VLESS only")).toBeVisible();
  await expect(card.getByRole("link", { name: "Ruled office" })).toBeVisible();
  await inEveryLook(page, `${stand.url}/policies`, "policies-list");
  await inEveryLook(page, `${stand.url}/policies?tab=catalogue`, "policies-catalogue");
  await inEveryLook(page, `${stand.url}/policies?tab=plans`, "policies-plans");

  await page.goto(`${stand.url}/flows/${id}/graph`);
  await expect(page.getByRole("button", { name: "Fix 2 problems" })).toBeVisible();
  await picture(page, "policies-refused");
  await expect(page.getByText(/Never in plain sight/).first()).toBeVisible();
  await expect(page.getByText(/Only VLESS/).first()).toBeVisible();
});

test("a drawing leaves by a custom plan and chooses traffic by a set, in the graph as in the outline", async ({
  page,
  stand,
  populated,
}) => {
  const call = <T>(method: string, path: string, body?: unknown) =>
    stand.call<T>(populated.token, method, `/api/v1${path}`, body);
  const before = await call<{ version: number }>("GET", "/policy-catalogue");
  await call("PUT", "/policy-catalogue", {
    revision: before.version,
    sets: [{ name: "trackers", domain: ["tracker.example"] }],
    presets: [],
    geo_tokens: [],
  });
  const made = await call<{ id: string }>("POST", "/custom-plans", {
    name: "Riga proxy",
    body: { way: "socks", address: "proxy.example.net", port: 1080 },
  });
  const policy = await call<{ id: string; revision: number }>("POST", "/policies", {
    name: "Ways out",
    kind: "routing",
  });
  await call("POST", `/custom-plans/${made.id}/versions/1/enable`, { policy_id: policy.id });
  const listener = { protocol: "shadowsocks2022", port: 28452 };
  const { id } = await call<{ id: string }>("POST", "/connection-units", {
    name: "By a proxy",
    graph: {
      nodes: [
        { key: "entry", kind: "entry", node_id: populated.node, params: { listener } },
        { key: "custom", kind: "custom" },
        { key: "block", kind: "block" },
      ],
      edges: [
        { from: "entry", to: "block", match: { domain: ["ads.example"] }, priority: 10 },
        { from: "entry", to: "custom" },
      ],
    },
  });
  await call("PUT", `/policies/${policy.id}/flows`, { revision: policy.revision, flow_ids: [id] });

  await signIn(page, stand.url);
  await page.goto(`${stand.url}/flows/${id}/outline`);
  await page.getByRole("button", { name: "Expand all" }).click();
  await page.getByRole("button", { name: /Custom plan.*choose a custom plan/ }).click();
  await page.getByRole("combobox", { name: "Custom plan" }).click();
  await picture(page, "editor-plan-choice");
  await page.getByRole("option", { name: "Riga proxy v1 · SOCKS proxy proxy.example.net:1080" }).click();
  await page
    .getByRole("button", { name: /^Level.*ads\.example/ })
    .first()
    .click();
  await page.getByRole("combobox", { name: "Sets of the catalogue" }).click();
  await page.getByRole("option", { name: "trackers" }).click();
  await page.keyboard.press("Escape");
  await expect(page.getByText("ads.example, set:trackers").first()).toBeVisible();
  await passesGates(page);
  await picture(page, "editor-set-choice");
  await expect
    .poll(async () => JSON.stringify(await call("GET", `/connection-units/${id}/draft`)))
    .toMatch(/plan_version_id.*trackers/);
  for (const view of ["outline", "graph"]) {
    await inEveryLook(page, `${stand.url}/flows/${id}/${view}`, `editor-governed-${view}`, 1);
  }
  await page.goto(`${stand.url}/flows/${id}/graph`);
  await expect(page.getByText("Riga proxy v1, SOCKS proxy proxy.example.net:1080").first()).toBeVisible();
  await expect(page.getByText("ads.example, set:trackers").first()).toBeVisible();
  await page.getByRole("button", { name: "Compile plan" }).click();
  await expect(page).toHaveURL(/\/plans\//);
});

// Journey 11: saving rolls nothing out; the flows of before are counted, and one is reviewed.
test("a saved catalogue leaves flows on the snapshot of before until their plan is applied", async ({
  page,
  stand,
  populated,
}) => {
  const call = <T>(method: string, path: string, body?: unknown) =>
    stand.call<T>(populated.token, method, `/api/v1${path}`, body);
  const before = await call<{ version: number; sets: object[] }>("GET", "/policy-catalogue");
  await call("PUT", "/policy-catalogue", {
    revision: before.version,
    sets: [...before.sets, { name: "banks", domain: ["bank.example"] }],
    presets: [],
    geo_tokens: [],
  });
  const listener = { protocol: "shadowsocks2022", port: 28453 };
  const { id } = await call<{ id: string }>("POST", "/connection-units", {
    name: "Snapshot",
    graph: {
      nodes: [
        { key: "entry", kind: "entry", node_id: populated.node, params: { listener } },
        { key: "exit", kind: "exit", node_id: populated.node },
        { key: "block", kind: "block" },
      ],
      edges: [
        { from: "entry", to: "block", match: { sets: ["banks"] }, priority: 10 },
        { from: "entry", to: "exit" },
      ],
    },
  });
  await install(stand, populated.token, id);

  await signIn(page, stand.url);
  await page.goto(`${stand.url}/policies?tab=catalogue`);
  const banks = page.getByRole("group", { name: "banks" });
  await banks.getByRole("combobox", { name: "Domains" }).or(banks.getByLabel("Domains")).first().fill("second.example");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Save as a new version" }).click();
  await isTold(page, "1 flow still runs an older snapshot.");
  await expect(page.getByRole("heading", { name: "1 flow runs an older snapshot" })).toBeVisible();
  await inBothThemes(page, "catalogue-outdated");
  const revision = async () =>
    (await call<{ installed_revision: number }>("GET", `/connection-units/${id}`)).installed_revision;
  const serving = await revision();
  await page.getByRole("button", { name: "Review plan of Snapshot" }).click();
  await page.waitForURL(/\/plans\//);
  await expect(page.getByText(/second\.example/).first()).toBeVisible();
  expect(await revision(), "nothing was rolled out").toBe(serving);
  await inBothThemes(page, "catalogue-reviewed");
  await page.getByRole("button", { name: "Apply", exact: true }).click({ timeout: 90_000 });
  await expect(page.getByRole("heading", { name: "v2 is installed" })).toBeVisible({ timeout: 120_000 });
  await page.goto(`${stand.url}/policies?tab=catalogue`);
  await expect(page.getByRole("group", { name: "banks" })).toBeVisible();
  await expect(page.getByRole("heading", { name: /older snapshot/ })).toHaveCount(0);
});

/** Installs a first version, past what this machine cannot confirm. */
async function install(stand: Stand, token: string, flow: string): Promise<void> {
  const unit = `/api/v1/connection-units/${flow}`;
  const plan = await stand.call<{ id: string; revision: number }>(token, "POST", `${unit}/plan/compile`);
  await eventually("a plan that is checked", 60, async () => {
    const { checking } = await stand.call<{ checking: boolean }>(token, "GET", `${unit}/plans/${plan.id}`);
    return checking ? undefined : true;
  });
  await stand.call(token, "POST", `${unit}/apply`, { id: plan.id, revision: plan.revision, force_apply: true });
  await eventually("a version that serves", 90, async () =>
    (await stand.call<{ installed_revision: number | null }>(token, "GET", unit)).installed_revision ? true : undefined,
  );
}

test("a new version of a custom plan is off in every policy until it is switched on there", async ({
  page,
  stand,
  populated,
}) => {
  const call = <T>(method: string, path: string, body?: unknown) =>
    stand.call<T>(populated.token, method, `/api/v1${path}`, body);
  await call("POST", "/policies", { name: "May go out", kind: "routing" });
  await signIn(page, stand.url);
  await page.goto(`${stand.url}/policies?tab=plans`);
  await page.getByRole("button", { name: "New custom plan" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Name" }).fill("From here");
  await dialog.getByRole("combobox", { name: "Way out" }).click();
  await page.getByRole("option", { name: "From the node itself" }).click();
  await dialog.getByRole("combobox", { name: "Addresses" }).click();
  await page.getByRole("option", { name: "IPv6 only" }).click();
  await expect(dialog.getByText(/Saving grants nothing/)).toBeVisible();
  await inBothThemes(page, "custom-plan-new");
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await isTold(page, "No policy enables this version yet.");
  const plan = page.getByRole("region", { name: "From here" });
  const first = plan.getByRole("group", { name: "Version 1" });
  const on = first.getByRole("switch", { name: "Enabled in May go out" });
  await expect(on).not.toBeChecked();
  await on.click();
  await expect(on).toBeChecked();
  await plan.getByRole("button", { name: "New version of From here" }).click();
  await dialog.getByRole("combobox", { name: "Addresses" }).click();
  await page.getByRole("option", { name: "IPv4 only" }).click();
  await dialog.getByRole("button", { name: "Save as a new version" }).click();
  const second = plan.getByRole("group", { name: "Version 2" });
  await expect(second.getByRole("switch", { name: "Enabled in May go out" })).not.toBeChecked();
  await expect(on, "the version before stays as it was").toBeChecked();
  await inBothThemes(page, "custom-plan-versions");
});
