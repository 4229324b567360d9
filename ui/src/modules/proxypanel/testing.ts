import { serveUnder } from "@/testing/serve";
import type { Connection, TokenScope } from "./api";
import type { Drift, MappedNode, PanelHost, PanelUser, SyncRun } from "./panel/api";

const at = "2026-03-11T12:00:00Z";

export const connectionId = "01890000-0000-7000-8000-0000000000b1";

const day = 86_400_000;
export const inDays = (days: number) => new Date(Date.now() + days * day).toISOString();

/** A connection that works. */
export function makeConnection(change: Partial<Connection> = {}): Connection {
  return {
    id: connectionId,
    label: "Main",
    base_url: "https://panel.example.com",
    direct: false,
    has_token: true,
    has_extra_headers: false,
    has_cookie: false,
    has_ca: false,
    has_client_certificate: false,
    token_expires_at: inDays(200.5),
    state: "ok",
    cause: "",
    detail: "",
    missing_scopes: [],
    version: "3.3.2",
    compatibility: "supported",
    latency_ms: 23,
    panel: { users: 1200, users_online: 56, nodes: 4, nodes_online: 3, nodes_disabled: 1, webhooks: false },
    checked_at: inDays(0),
    last_ok_at: inDays(0),
    last_sync_at: at,
    users_synced_at: at,
    webhook: {
      path: "/api/v1/proxypanel/webhooks/01890000-0000-4000-8000-0000000000b2",
      has_secret: true,
      last_event_at: at,
      skew_seconds: null,
    },
    created_at: at,
    updated_at: at,
    revision: 3,
    ...change,
  };
}

const known = { seen_at: at, gone_at: null };

export const panelNodeId = "01890000-0000-4000-8000-0000000000c1";
export const nodeId = "01890000-0000-7000-8000-0000000000c2";

/** A node there that nobody has adopted, and that has the address of one of ours. */
export function makeMapped(change: Partial<MappedNode> = {}): MappedNode {
  return {
    panel_node_id: panelNodeId,
    name: "edge-1",
    address: "198.51.100.7",
    state: "connected",
    core_version: "26.3.27",
    runs: "",
    mapping: null,
    proposal: { node_id: nodeId, node_name: "ams-01" },
    ...change,
  };
}

/** What adopting made of it. */
export const adopted: MappedNode["mapping"] = {
  node_id: nodeId,
  node_name: "ams-01",
  profile_name: "panel_0000000b",
  replaces: "Old",
  flow_ids: ["01890000-0000-7000-8000-0000000000f1"],
  adopted_by: "root",
  adopted_at: at,
};

export function makeUser(change: Partial<PanelUser> = {}): PanelUser {
  return {
    id: 42,
    user_ref: `p:${connectionId}:42`,
    username: "alice",
    status: "ACTIVE",
    tag: "",
    traffic_limit: 0,
    traffic_used: 1024,
    lifetime_used: 2048,
    expires_at: inDays(30),
    online_at: null,
    last_node_id: null,
    made_at: at,
    squads: [],
    ...known,
    ...change,
  };
}

export function makeHost(change: Partial<PanelHost> = {}): PanelHost {
  return {
    id: "01890000-0000-4000-8000-0000000000c4",
    name: "Amsterdam",
    address: "ams.example.com",
    port: 443,
    sni: "www.example.org",
    host: "",
    path: "",
    alpn: "",
    fingerprint: "chrome",
    security: "DEFAULT",
    disabled: false,
    hidden: false,
    profile_id: "",
    inbound_id: null,
    nodes: [],
    tags: [],
    ...known,
    ...change,
  };
}

export function makeSync(change: Partial<SyncRun> = {}): SyncRun {
  return {
    id: "01890000-0000-7000-8000-0000000000c5",
    scope: "objects",
    source: "schedule",
    state: "succeeded",
    cause: "",
    detail: "",
    started_by: "",
    operation_id: null,
    objects: 12,
    users: 0,
    added: 0,
    changed: 0,
    gone: 0,
    started_at: at,
    finished_at: at,
    ...change,
  };
}

export function makeDrift(change: Partial<Drift> = {}): Drift {
  return {
    object: "host-1",
    kind: "host",
    name: "Amsterdam",
    node_id: nodeId,
    field: "port",
    ours: "443",
    theirs: "8443",
    adoptable: false,
    since: at,
    ...change,
  };
}

export const scopes: TokenScope[] = [
  { scope: "users:read", use: "read" },
  { scope: "users:disable", use: "abuse" },
  { scope: "hosts:write", use: "provisioning" },
];

export const variable = "PANEL_PROXYPANEL_BOOTSTRAP=true";
export const restart = "systemctl restart panel";

/** How the panel refuses to set up a fresh proxy panel while its environment does not allow it. */
export const closedWay = { status: 409, body: { status: 409, code: "bootstrap_disabled", variable, restart } };

/** How it answers an empty form where it is allowed. */
export const openWay = {
  status: 422,
  body: { status: 422, code: "invalid_value", errors: [{ field: "body.label", code: "too_short", message: "empty" }] },
};

export { pageOf } from "@/testing/serve";
export const serve = serveUnder("/api/v1");
