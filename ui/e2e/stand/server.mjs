// A stand for looking at pages: the built interface with the panel's headers, over an invented fleet. The journeys use the real panel.
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { nodes, series, summary } from "./fleet.mjs";

const dist = new URL("../../dist/", import.meta.url).pathname;
const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".woff2": "font/woff2" };
const day = 86_400_000;

export const license = {
  active: { state: "active", reason: "ok", read_only: false, plan: "Fleet 50", valid_until: new Date(Date.now() + 120 * day).toISOString(), grace_until: null, last_check: { at: new Date(Date.now() - 3 * 3600e3).toISOString(), ok: true, error: null }, next_check_at: new Date(Date.now() + 5 * 3600e3).toISOString(), features: { enabled: ["flows", "health", "backups", "notifications", "statuspage"], blocked: ["abuse", "assistant"] }, key_masked: "PNL-••••-••••-91CD", instance_id: "x" },
};
license.grace = { ...license.active, state: "grace", reason: "unreachable", grace_until: new Date(Date.now() + 51 * 3600e3).toISOString(), last_check: { at: new Date(Date.now() - 8 * 60e3).toISOString(), ok: false, error: "the license server did not answer within 15 s" }, next_check_at: new Date(Date.now() + 7 * 60e3).toISOString() };
license.degraded = { ...license.active, state: "degraded", reason: "expired", read_only: true, valid_until: new Date(Date.now() - 20 * day).toISOString() };
license.none = { ...license.active, state: "degraded", reason: "none", read_only: true, plan: null, valid_until: null, key_masked: null, last_check: null, next_check_at: null, features: { enabled: [], blocked: [] } };

const account = { id: nodes[0].id, username: "anna", permissions: ["*"], state: "active", created_at: new Date().toISOString(), last_login_at: null, last_login_ip: "", totp_enabled: false, passkeys: 0, must_change_password: false };

function page(items, query) {
  const limit = Number(query.get("limit") ?? 50);
  return { items: items.slice(0, limit), next_cursor: items.length > limit ? "more" : null, total: items.length };
}

function filtered(query) {
  const [state, q, tag] = [query.get("state"), query.get("q"), query.get("tag")];
  return nodes.filter((node) => (!state || node.state === state) && (!tag || node.tags.includes(tag)) && (!q || `${node.name} ${node.address}`.includes(q)));
}

const rank = ["offline", "degraded", "pending", "maintenance", "online"];
const worst = (list) => [...list].sort((a, b) => rank.indexOf(a.state) - rank.indexOf(b.state));

const routes = [
  [/^GET \/health$/, () => ({ status: "ok", timestamp: new Date().toISOString(), version: "1.14.2" })],
  [/^GET \/api\/v1\/setup\/state$/, () => ({ administrator: true, finished: true, setup_token_required: false, server_time: new Date().toISOString(), checks: [] })],
  [/^GET \/api\/v1\/auth\/me$/, () => ({ account, permissions: ["*"], session: {} })],
  [/^GET \/api\/v1\/auth\/sessions$/, () => ({ items: [{ id: "1", created_at: new Date(Date.now() - 3e6).toISOString(), last_seen_at: new Date().toISOString(), ip: "198.51.100.7", user_agent: "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0", current: true }, { id: "2", created_at: new Date(Date.now() - 3e8).toISOString(), last_seen_at: new Date(Date.now() - 3e7).toISOString(), ip: "198.51.100.9", user_agent: "Mozilla/5.0 (Windows NT 10.0) Chrome/140.0", current: false }], next_cursor: null, total: 2 })],
  [/^GET \/api\/v1\/system\/status$/, () => ({ status: "running", version: "1.14.2", database: "connected", setup_done: true, uptime: "2d", uptime_seconds: 172800 })],
  [/^GET \/api\/v1\/license\/status$/, () => license.active],
  [/^GET \/api\/v1\/nodes\/summary$/, summary],
  [/^GET \/api\/v1\/nodes$/, (query) => page(worst(filtered(query)), query)],
  [/^GET \/api\/v1\/nodes\/[^/]+\/metrics$/, (query) => series(query.get("metric"), query.get("from"), query.get("to"))],
  [/^GET \/api\/v1\/nodes\/([^/]+)$/, (_query, [, id]) => ({ ...nodes.find((node) => node.id === id), sockets: [{ l4: "tcp", ip: "0.0.0.0", port: 443, process: "xray", own: true }, { l4: "tcp", ip: "0.0.0.0", port: 22, process: "sshd", own: false }], addresses: ["203.0.113.52", "10.0.0.4"], firewall: [{ kind: "nft", active: true, detail: "" }], flow_ids: [] })],
  [/^GET \/api\/v1\/node-domains$/, (query) => page([{ id: "d1", node_id: "", hostname: "fra-02.edge.example.net", mode: "direct", dns_state: "ok", revision: 1 }], query)],
  [/^GET \/api\/v1\/connection-units$/, (query) => page([], query)],
];

function answer(request, response) {
  const url = new URL(request.url, "http://stand");
  if (url.pathname === "/api/v1/stream") {
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    return void response.write("retry: 2000\n\n");
  }
  const key = `${request.method} ${url.pathname}`;
  for (const [pattern, make] of routes) {
    const match = pattern.exec(key);
    if (match) return json(response, 200, make(url.searchParams, match));
  }
  if (url.pathname.startsWith("/api/")) return json(response, 404, { status: 404, code: "not_found", title: "Not Found", request_id: "stand" });
  return file(url.pathname, response);
}

function json(response, status, body) {
  response.writeHead(status, { "Content-Type": status < 400 ? "application/json" : "application/problem+json" });
  response.end(JSON.stringify(body));
}

function file(path, response) {
  const known = path !== "/" && existsSync(join(dist, path));
  const name = known ? path : "index.html";
  const nonce = randomBytes(16).toString("base64");
  const body = readFileSync(join(dist, name));
  const headers = { "Content-Type": types[extname(name)] ?? "application/octet-stream" };
  if (name === "index.html") headers["Content-Security-Policy"] = `default-src 'self'; script-src 'self' 'nonce-${nonce}'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'`;
  response.writeHead(200, headers);
  response.end(name === "index.html" ? body.toString().replaceAll("__CSP_NONCE__", nonce) : body);
}

/** Starts the stand on a free port and gives its address. */
export function startStand() {
  return new Promise((resolve) => {
    const server = createServer(answer);
    server.listen(0, "127.0.0.1", () => resolve({ url: `http://127.0.0.1:${server.address().port}`, close: () => new Promise((done) => (server.closeAllConnections(), server.close(done))) }));
  });
}
