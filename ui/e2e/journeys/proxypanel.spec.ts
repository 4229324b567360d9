import type { Page } from "@playwright/test";
import { inEveryLook } from "../rig/looks";
import { reportingNode } from "../rig/populated";
import { eventually, freePort } from "../rig/processes";
import { ProxyPanel } from "../rig/proxy-panel";
import type { Stand } from "../rig/stand";
import { administrator, expect, isTold, passesGates, picture, signIn, test as base } from "../rig/test";

interface Scene {
  /** A Remnawave that nobody has entered, and one that is in use. */
  fresh: ProxyPanel;
  used: ProxyPanel;
  scopes: string[];
  session: string;
}

/** A panel whose first installation goes on, beside two stand-ins for Remnawave. */
const test = base.extend<object, { scene: Scene }>({
  scene: [
    async ({ stand }, use) => {
      const { token } = await stand.call<{ token: string }>("", "POST", "/api/v1/setup/admin", administrator);
      await stand.call(token, "POST", "/api/v1/license/activate", { license_key: stand.licenseKey });
      const [fresh, used] = [new ProxyPanel(stand.folder), new ProxyPanel(stand.folder)];
      await fresh.serve();
      await used.serve();
      const { items } = await stand.call<{ items: { scope: string }[] }>(token, "GET", "/api/v1/proxypanel/scopes");
      await use({ fresh, used, session: token, scopes: items.map(({ scope }) => scope) });
      await fresh.close();
      await used.close();
    },
    { scope: "worker", timeout: 400_000 },
  ],
});

test.describe.configure({ mode: "serial" });

const card = (page: Page, name: string) => page.getByRole("region", { name, exact: true });

async function openPage(page: Page, url: string): Promise<void> {
  await signIn(page, url);
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Proxy panel" }).click();
  await expect(page.getByRole("heading", { name: "Proxy panel", level: 1 })).toBeVisible();
}

test("a fresh proxy panel: the line and the restart first, then its administrator once", async ({
  page,
  stand,
  scene,
}) => {
  await openPage(page, stand.url);
  await expect(page.getByText("No proxy panel is connected")).toBeVisible();
  await passesGates(page);
  await picture(page, "proxypanel-empty");
  await page.getByRole("button", { name: "Set up a fresh panel" }).click();
  const dialog = page.getByRole("dialog", { name: "Set up a fresh proxy panel" });
  await expect(dialog.getByText("PANEL_PROXYPANEL_BOOTSTRAP=true")).toBeVisible();
  await expect(dialog.getByText("systemctl restart panel")).toBeVisible();
  await passesGates(page);
  await picture(page, "proxypanel-fresh-closed");
  await stand.restartPanel({ PANEL_PROXYPANEL_BOOTSTRAP: "true" });
  // The page asks again by itself once the panel is back.
  await dialog.getByRole("textbox", { name: "Label" }).fill("Fresh");
  await dialog.getByRole("textbox", { name: "Address" }).fill(scene.fresh.direct);
  await dialog.getByRole("button", { name: "Set up and connect" }).click();
  await expect(dialog.getByText(/did not come through its reverse proxy/)).toBeVisible();
  await passesGates(page);
  await dialog.getByRole("switch", { name: /^Direct mode/ }).click();
  await dialog.getByRole("button", { name: "Set up and connect" }).click();
  await expect(dialog.getByText("Fresh is set up and connected")).toBeVisible();
  await passesGates(page);
  await picture(page, "proxypanel-fresh-credentials");
  await page.keyboard.press("Escape");
  await expect(dialog.getByRole("button", { name: "Done" })).toHaveAttribute("aria-disabled", "true");
  await dialog.getByRole("checkbox", { name: /I have stored/ }).check();
  await dialog.getByRole("button", { name: "Done" }).click();
  await expect(dialog).toBeHidden();
  const fresh = card(page, "Fresh");
  await expect(fresh.getByText("Works", { exact: true })).toBeVisible();
  await expect(fresh.getByText("token, direct mode")).toBeVisible();
  const [made] = Object.values((await scene.fresh.told()).tokens);
  expect([...made!].sort()).toEqual([...scene.scopes].sort());
});

test("a connection: what is wrong is named, and put right", async ({ page, stand, scene }) => {
  await openPage(page, stand.url);
  await page.getByRole("button", { name: "Connect a panel" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Connect a panel" }).click();
  await expect(dialog.getByText("Enter the API token")).toBeVisible();
  await passesGates(page);
  await picture(page, "proxypanel-connect");
  await scene.used.gate("X-Gate-Key");
  const lacking = scene.scopes.filter((scope) => scope !== "connections:drop");
  await dialog.getByRole("textbox", { name: "Label" }).fill("Main");
  await dialog.getByRole("textbox", { name: "Address" }).fill(scene.used.url);
  await dialog.getByRole("textbox", { name: "API token" }).fill("no token at all");
  await dialog.getByRole("button", { name: "Connect a panel" }).click();
  await expect(dialog.getByText(/must be an API token/).first()).toBeVisible();
  await dialog.getByRole("textbox", { name: "API token" }).fill(await scene.used.token(5, lacking));
  await dialog.getByRole("button", { name: "Connect a panel" }).click();
  const main = card(page, "Main");
  await expect(main.getByText("A web page answers instead of the proxy panel.")).toBeVisible();
  await isTold(page, "Main is saved, and something is wrong");
  await passesGates(page);
  await picture(page, "proxypanel-gate");

  await main.getByRole("button", { name: "Change" }).click();
  await expect(dialog.getByText("Is set. It is never shown.")).toBeVisible();
  await dialog.getByText("Something stands in front").click();
  await dialog.getByRole("button", { name: "Add a header" }).click();
  await dialog.getByLabel("Name of header 1").fill("X-Gate-Key");
  await dialog.getByLabel("Value of header 1", { exact: true }).fill("sesame");
  await passesGates(page);
  await picture(page, "proxypanel-change");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(main.getByText("The token lacks scopes.")).toBeVisible();
  await expect(main.getByText("connections:drop")).toBeVisible();
  await expect(main.getByText("token, extra headers")).toBeVisible();
  await inEveryLook(page, "proxypanel", "connections:drop");

  await main.getByRole("button", { name: "Change" }).click();
  await dialog.getByRole("group", { name: "API token" }).getByRole("button", { name: "Replace" }).click();
  await dialog.getByRole("textbox", { name: "API token" }).fill(await scene.used.token(5, scene.scopes));
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(main.getByText(/^The token expires soon/)).toBeVisible();
});

test("a test looks at once, and a version that is too new is named", async ({ page, stand, scene }) => {
  await openPage(page, stand.url);
  await scene.used.be("4.0.1");
  const main = card(page, "Main");
  await main.getByRole("button", { name: "Test" }).click();
  await expect(main.getByText(/^Tested at .*: Version not supported/)).toBeVisible();
  await expect(main.getByText("Version 4.0.1 of the proxy panel is not supported.")).toBeVisible();
  await passesGates(page);
  await picture(page, "proxypanel-tested");
  await scene.used.be("3.3.2");
  // Somebody else looks, and this page learns it by the event.
  const { items } = await stand.call<{ items: { id: string; label: string }[] }>(
    scene.session,
    "GET",
    "/api/v1/proxypanel/connections",
  );
  const { id } = items.find(({ label }) => label === "Main")!;
  await stand.call(scene.session, "POST", `/api/v1/proxypanel/connections/${id}/test`);
  await expect(main.getByText(/^The token expires soon/)).toBeVisible();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("mai");
  await expect(page.getByRole("option", { name: /Main/ }).first()).toBeVisible();
  await page.keyboard.press("Escape");
});

/** Asks the stand-in as another program with an API token would. */
async function there<T>(panel: ProxyPanel, token: string, method: string, path: string, body?: unknown): Promise<T> {
  const answer = await fetch(`${panel.url}/api${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json", "X-Gate-Key": "sesame" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
  return answer.status === 204 ? (undefined as T) : ((await answer.json()) as { response: T }).response;
}

interface Filled {
  connection: string;
  squad: string;
  token: string;
}

/** A proxy panel with a node on the address of ours, a squad and two users. */
async function fill(stand: Stand, { used, session }: Scene, node: string): Promise<Filled> {
  const { address } = await stand.call<{ address: string }>(session, "GET", `/api/v1/nodes/${node}`);
  const token = await used.token(300, ["*"]);
  const make = <T>(path: string, body: unknown) => there<T>(used, token, "POST", path, body);
  const config = {
    inbounds: [{ tag: "Old", port: 9443, protocol: "vless", settings: { clients: [], decryption: "none" } }],
    outbounds: [{ tag: "DIRECT", protocol: "freedom" }],
  };
  const profile = await make<{ uuid: string; inbounds: { uuid: string }[] }>("/config-profiles", {
    name: "Old",
    config,
  });
  const inbounds = profile.inbounds.map(({ uuid }) => uuid);
  const edge = await make<{ uuid: string }>("/nodes", {
    name: "edge-1",
    address,
    configProfile: { activeConfigProfileUuid: profile.uuid, activeInbounds: inbounds },
  });
  await make(`/nodes/${edge.uuid}/actions/enable`, {}); // which connects it
  const squad = await make<{ uuid: string }>("/internal-squads", { name: "Everybody", inbounds });
  const expireAt = new Date(Date.now() + 30 * 86_400_000).toISOString();
  for (const username of ["alice", "bob"]) {
    await make("/users", { username, expireAt, activeInternalSquads: [squad.uuid] });
  }
  const { items } = await stand.call<{ items: { id: string; label: string }[] }>(
    session,
    "GET",
    "/api/v1/proxypanel/connections",
  );
  return { connection: items.find(({ label }) => label === "Main")!.id, squad: squad.uuid, token };
}

/** Draws a flow whose entry the proxy panel serves, and applies it. */
async function served(stand: Stand, session: string, node: string, { connection, squad }: Filled): Promise<string> {
  const call = <T>(method: string, path: string, body?: unknown) =>
    stand.call<T>(session, method, `/api/v1/connection-units${path}`, body);
  const entry = {
    listener: { protocol: "vless", port: await freePort(), transport: "xhttp", security: "none", path: "/way" },
    proxypanel: { connection_id: connection, squad_ids: [squad], remark: "Through us" },
  };
  const graph = {
    nodes: [
      { key: "entry", kind: "entry", node_id: node, params: entry },
      { key: "exit", kind: "exit", node_id: node },
    ],
    edges: [{ from: "entry", to: "exit" }],
  };
  const { id } = await call<{ id: string }>("POST", "", { name: "Shared way", graph });
  const plan = await call<{ id: string; revision: number }>("POST", `/${id}/plan/compile`);
  await call("POST", `/${id}/apply`, { id: plan.id, revision: plan.revision, force_apply: true });
  await eventually("an applied flow", 120, async () => {
    const found = await call<{ state: string; installed_revision: number }>("GET", `/${id}`);
    return found.installed_revision > 0 && found.state === "applied" ? true : undefined;
  });
  return id;
}

test("its nodes are adopted and serve a flow, and what somebody changes there is put right", async ({
  page,
  stand,
  scene,
}) => {
  test.setTimeout(400_000);
  const node = await reportingNode(stand, scene.session, "ams-01");
  const filled = await fill(stand, scene, node);
  await openPage(page, stand.url);
  await card(page, "Main").getByRole("link", { name: "Main" }).click();
  await page.getByRole("button", { name: "Sync now" }).click();
  const row = page.getByRole("row", { name: /edge-1/ });
  await row.getByRole("button", { name: "Adopt as ams-01" }).click({ timeout: 90_000 });
  const dialog = page.getByRole("dialog", { name: "Adopt edge-1?" });
  await expect(dialog.getByText("Nothing changes there now.")).toBeVisible();
  await passesGates(page);
  await picture(page, "proxypanel-adopt");
  await dialog.getByRole("checkbox", { name: /^Its profile Old may be replaced/ }).check();
  await dialog.getByRole("button", { name: "Adopt" }).click();
  await isTold(page, "edge-1 is adopted");
  await expect(row.getByRole("link", { name: "ams-01" })).toBeVisible();

  const flow = await served(stand, scene.session, node, filled);
  await expect(row.getByText("1 flow")).toBeVisible({ timeout: 60_000 });
  await inEveryLook(page, "proxypanel-nodes", "edge-1");
  await page.getByRole("button", { name: "Sync now" }).click();
  await page.getByRole("link", { name: "Users", exact: true }).click();
  await expect(page.getByText("alice")).toBeVisible({ timeout: 60_000 });
  await inEveryLook(page, "proxypanel-users", "alice");
  await page.getByRole("link", { name: "Inbounds", exact: true }).click();
  await expect(page.getByText(`flow.${flow}.in.entry`)).toBeVisible({ timeout: 90_000 });
  await page.getByRole("link", { name: "Hosts", exact: true }).click();
  await expect(page.getByText("Through us")).toBeVisible({ timeout: 90_000 });
  await inEveryLook(page, "proxypanel-hosts", "Through us");

  const [host] = await there<{ uuid: string; remark: string; isDisabled: boolean }[]>(
    scene.used,
    filled.token,
    "GET",
    "/hosts",
  );
  await there(scene.used, filled.token, "PATCH", "/hosts", { uuid: host!.uuid, port: 1, isDisabled: host!.isDisabled });
  await page.getByRole("link", { name: "Drift", exact: true }).click();
  await page.getByRole("button", { name: "Compare now" }).click();
  await expect(page.getByText("1 field differs")).toBeVisible({ timeout: 60_000 });
  await inEveryLook(page, "proxypanel-drift", "Through us");
  await page.getByRole("button", { name: "Write again" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Write again" }).click();
  await expect(page.getByText("All is there as it was written")).toBeVisible({ timeout: 60_000 });

  await page.getByRole("link", { name: "Synchronisation", exact: true }).click();
  await expect(page.getByText(/^read: \d+ objects, 2 users$/).first()).toBeVisible();
  await page.getByRole("button", { name: "Generate a secret" }).click();
  await expect(page.getByText(/WEBHOOK_SECRET_HEADER=/)).toBeVisible();
  await inEveryLook(page, "proxypanel-syncs", scene.used.url);

  for (const [path, shows] of [
    [`/nodes/${node}?tab=proxypanel`, "edge-1"],
    [`/flows/${flow}/proxypanel`, /Through us/],
  ] as const) {
    await page.goto(stand.url + path);
    await expect(page.getByText(shows).first()).toBeVisible({ timeout: 30_000 });
    await passesGates(page);
    await picture(page, `proxypanel-on-${path.split("/")[1]!}`);
  }
  await stand.call(scene.session, "DELETE", `/api/v1/connection-units/${flow}`);
  await page.goto(`${stand.url}/proxypanel/${filled.connection}`);
  await expect(row.getByText("0 flows")).toBeVisible({ timeout: 90_000 });
  const hosts = await there<unknown[]>(scene.used, filled.token, "GET", "/hosts");
  expect(hosts).toHaveLength(0);
  await page.getByRole("button", { name: "Actions for edge-1" }).click();
  await page.getByRole("menuitem", { name: "Release" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Release" }).click();
  await isTold(page, "edge-1 is released");
});

test("a connection is removed with what that means, and the other panel keeps its token", async ({
  page,
  stand,
  scene,
}) => {
  await openPage(page, stand.url);
  await page.getByRole("button", { name: "Actions for Main" }).click();
  await page.getByRole("menuitem", { name: "Disconnect" }).click();
  const dialog = page.getByRole("dialog", { name: "Disconnect Main?" });
  await expect(dialog.getByText(/users are served as before/)).toBeVisible();
  await passesGates(page);
  await picture(page, "proxypanel-remove");
  await dialog.getByRole("button", { name: "Disconnect" }).click();
  await isTold(page, "Main is disconnected");
  await expect(card(page, "Main")).toBeHidden();
  expect(Object.keys((await scene.used.told()).tokens)).not.toHaveLength(0);
});

test("the step of the first installation connects one that runs", async ({ page, stand, scene }) => {
  await signIn(page, stand.url);
  await page.evaluate(() =>
    localStorage.setItem(
      "panel-setup-results",
      JSON.stringify(Object.fromEntries(["license", "dns"].map((step) => [step, { text: "", skipped: true }]))),
    ),
  );
  await page.goto(`${stand.url}/setup`);
  await expect(page.getByRole("heading", { name: "Proxy panel" })).toBeVisible();
  await passesGates(page);
  await picture(page, "setup-proxypanel-step");
  await page.getByRole("textbox", { name: "Label" }).fill("Second");
  await page.getByRole("textbox", { name: "Address" }).fill(scene.used.url);
  await page.getByRole("textbox", { name: "API token" }).fill(await scene.used.token(300, scene.scopes));
  await page.getByText("Something stands in front").click();
  await page.getByRole("button", { name: "Add a header" }).click();
  await page.getByLabel("Name of header 1").fill("X-Gate-Key");
  await page.getByLabel("Value of header 1", { exact: true }).fill("sesame");
  await page.getByRole("button", { name: "Connect a panel" }).click();
  await expect(page.getByText("Second is connected")).toBeVisible();
  await expect(page.getByText("Works", { exact: true })).toBeVisible();
  await passesGates(page);
  await picture(page, "setup-proxypanel-found");
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(page.getByRole("heading", { name: "Notifications" })).toBeVisible();
});
