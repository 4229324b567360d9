import { serveUnder } from "@/testing/serve";
import type { Connection, TokenScope } from "./api";

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
