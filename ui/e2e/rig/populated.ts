import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventually, freePort } from "./processes";
import type { Stand } from "./stand";
import { administrator, test as base } from "./test";

/** The ids of what stands in the panel, for addresses of pages. */
export interface Populated {
  token: string;
  node: string;
  quiet: string;
  account: string;
  flow: string;
  client: string;
  draft: string;
  plan: string;
  apply: string;
  profile: string;
  run: string;
  search: string;
  pool: string;
  entry: string;
  asset: string;
  notice: string;
}

/** A panel in which every page has something to show: made by the API, with one real agent. */
export const test = base.extend<object, { populated: Populated }>({
  populated: [async ({ stand }, use) => use(await populate(stand)), { scope: "worker", timeout: 400_000 }],
});

interface Named {
  id: string;
}

async function populate(stand: Stand): Promise<Populated> {
  const { token } = await stand.call<{ token: string }>("", "POST", "/api/v1/setup/admin", administrator);
  const get = <T>(path: string) => stand.call<T>(token, "GET", `/api/v1${path}`);
  const post = <T>(path: string, body?: unknown) => stand.call<T>(token, "POST", `/api/v1${path}`, body);
  await post("/license/activate", { license_key: stand.licenseKey });
  await post("/setup/finish");
  stand.releases.publishAgent("9.9.0", unusedBuild(stand), "Agents need less memory.");
  const node = await reportingNode(stand, token, "fra-01");
  const quiet = await post<Named>("/nodes", {
    name: "a-node-with-a-long-name-that-is-allowed.ams-west-0001.example",
    tags: ["edge"],
  });
  await post("/node-domains", { node_id: node, zone: "example.net", label: "entry" });
  const account = await post<Named>("/accounts", {
    username: "oleg",
    password: "another long sentence",
    permissions: ["nodes.view"],
  });
  await post("/auth/tokens", {
    name: "metrics",
    permissions: ["nodes.view"],
    current_password: administrator.password,
    expires_in_days: 30,
  });
  await post("/notifications/channels", {
    kind: "webhook",
    name: "Pager",
    webhook: { url: "https://pager.example.net/hook", secret: "secret of the hook" },
  });
  await post("/notifications/rules", { name: "Nodes", event: "node.*", channels: ["messenger"] });
  const profile = await post<Named>("/backups/profiles", {
    name: "Nightly",
    destinations: [{ kind: "local" }],
  });
  const run = await post<Named>("/backups/runs", { profile_id: profile.id });
  await stand.diagnose();
  const flow = await servingFlow(stand, token, "Office", node);
  const draft = await post<Named>("/connection-units", { name: "Second office", graph: await oneNode(node) });
  const search = await post<Named>("/target-search/check", { node_id: node, target: "www.example.org" });
  const pool = await post<Named>("/transit-pools", {
    name: "Europe",
    strategy: "least_ping",
    members: [{ node_id: node, weight: 3 }, { node_id: quiet.id }],
  });
  const asset = await post<Named>("/geo-assets", {
    file: "geosite",
    preset: "custom",
    source_url: stand.geo.address,
    checksum_url: stand.geo.checksum,
    update: true,
  });
  await governed(post, stand, token);
  const notice = await toldReaders(stand, token, node);
  const { items } = await get<{ items: Named[] }>("/audit?action=account.created&limit=1");
  return {
    token,
    node,
    quiet: quiet.id,
    account: account.id,
    ...flow,
    draft: draft.id,
    profile: profile.id,
    run: run.id,
    search: search.id,
    pool: pool.id,
    entry: items[0]?.id ?? "",
    asset: asset.id,
    notice,
  };
}

/** A live status page with components, news, work ahead, and an incident, whose id it gives. */
async function toldReaders(stand: Stand, token: string, node: string): Promise<string> {
  const call = <T>(method: string, path: string, body?: unknown) =>
    stand.call<T>(token, method, `/api/v1/statuspage${path}`, body);
  const group = "01890000-0000-7000-8000-0000000000a7";
  const { id } = await call<Named>("POST", "/pages", {
    slug: "service",
    titles: { en: "Example status", ru: "Статус Example" },
  });
  const shown = { group_id: group, visible: true, show_bars: true };
  const { components } = await call<{ components: Named[] }>("PUT", `/pages/${id}/components`, {
    revision: 1,
    groups: [{ id: group, names: { en: "Locations", ru: "Локации" } }],
    components: [
      { ...shown, names: { en: "Frankfurt", ru: "Франкфурт" }, source: "node", source_id: node },
      { ...shown, names: { en: "Website" }, source: "manual", source_id: "", manual_status: "degraded" },
    ],
  });
  const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  await call("PUT", `/pages/${id}/announcements`, {
    revision: 2,
    announcements: [
      { titles: { en: "A new place" }, bodies: { en: "In **Warsaw**." }, starts_at: at(-1), ends_at: null },
    ],
  });
  const affected = { page_id: id, component_ids: [components[0]!.id] };
  const notice = await call<Named>("POST", "/incidents", {
    ...affected,
    titles: { en: "Slow connections", ru: "Медленные соединения" },
    impact: "minor",
    state: "investigating",
    bodies: { en: "We are looking into it.", ru: "Разбираемся." },
    published: true,
  });
  const work = { titles: { en: "New disks" }, bodies: { en: "Connections break once." } };
  await call("POST", "/maintenance", { ...affected, ...work, starts_at: at(24), ends_at: at(25) });
  await call("POST", `/pages/${id}/targets`, { kind: "panel", label: "Panel", config: {} });
  const deploy = await call<Named>("POST", `/pages/${id}/deploy`, { revision: 3 });
  await eventually("a live status page", 60, async () => {
    const { state } = await call<{ state: string }>("GET", `/deploys/${deploy.id}`);
    return state === "live" ? true : undefined;
  });
  return notice.id;
}

/** A policy that enables a version of a custom plan, and a catalogue. No flow obeys it. */
async function governed(post: <T>(path: string, body?: unknown) => Promise<T>, stand: Stand, token: string) {
  const policy = await post<Named>("/policies", {
    name: "Modern only",
    kind: "security",
    rules: [{ type: "securities", name: "No plain ports", values: ["tls", "reality"] }],
    allowed_protocols: ["vless", "trojan"],
  });
  const plan = await post<Named>("/custom-plans", {
    name: "Upstream",
    body: { way: "socks", address: "proxy.example.net", port: 1080, user: "fleet", password: "secret of the proxy" },
  });
  await post(`/custom-plans/${plan.id}/versions/1/enable`, { policy_id: policy.id });
  await stand.call(token, "PUT", "/api/v1/policy-catalogue", {
    revision: 0,
    sets: [{ name: "messengers", geosite: ["telegram"], domain: ["chat.example.net"] }],
    presets: [{ name: "vision", protocol: "vless", security: "reality", flow: "xtls-rprx-vision" }],
    geo_tokens: ["geosite:ru", "geoip:ru"],
  });
}

/** Adds a node whose agent runs on this machine, and waits for its first word. */
export async function reportingNode(
  stand: Stand,
  token: string,
  name: string,
  env: Record<string, string> = {},
): Promise<string> {
  const issued = await stand.call<{ token: string }>(token, "POST", "/api/v1/nodes/enrollment-tokens", {
    kind: "one_off",
  });
  await stand.runAgent(name, issued.token, env);
  const node = await eventually(`the reporting node ${name}`, 90, async () =>
    (
      await stand.call<{ items: { id: string; name: string; state: string }[] }>(
        token,
        "GET",
        "/api/v1/nodes?limit=200",
      )
    ).items.find((item) => item.name === name && item.state === "online"),
  );
  return node.id;
}

/** A flow with rules, a client and a version that serves. */
export async function servingFlow(stand: Stand, token: string, name: string, node: string) {
  const call = <T>(method: string, path: string, body?: unknown) =>
    stand.call<T>(token, method, `/api/v1/connection-units${path}`, body);
  const { id } = await call<Named>("POST", "", { name, graph: await oneNode(node) });
  const client = await call<Named>("POST", `/${id}/clients`, { label: "anna's phone" });
  const plan = await call<Named & { revision: number }>("POST", `/${id}/plan/compile`);
  await eventually("a plan that is checked", 60, async () => {
    const { state } = await call<{ state: string }>("GET", `/${id}/plans/${plan.id}`);
    return ["ready", "blocked", "compiled"].includes(state) ? true : undefined;
  });
  await call("POST", `/${id}/apply`, { id: plan.id, revision: plan.revision, force_apply: true });
  const flow = await eventually("an applied flow", 90, async () => {
    const found = await call<{ last_apply_id: string; installed_revision: number }>("GET", `/${id}`);
    return found.installed_revision > 0 ? found : undefined;
  });
  return { flow: id, client: client.id, plan: plan.id, apply: flow.last_apply_id };
}

async function oneNode(node: string) {
  const port = await freePort();
  return {
    nodes: [
      { key: "entry", kind: "entry", node_id: node, params: { listener: { protocol: "shadowsocks2022", port } } },
      { key: "exit", kind: "exit", node_id: node },
      { key: "block", kind: "block" },
    ],
    edges: [
      { from: "entry", to: "block", match: { domain: ["full:ads.example.net"] } },
      { from: "entry", to: "exit" },
    ],
  };
}

/** A build that is only offered: nobody of the journey installs it. */
function unusedBuild(stand: Stand): string {
  const file = join(stand.folder, "unused-agent");
  writeFileSync(file, "#!/bin/sh\nexec sleep 600\n", { mode: 0o755 });
  return file;
}
