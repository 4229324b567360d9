import type { Server } from "../shared/api";
import type { Drawing } from "../drawing/drawing";

/** What the samples of tests stand on: a moment, six nodes and the drawing of a flow over them. */

export const moment = "2026-03-14T12:04:00Z";
export const at = (minutes: number) => new Date(Date.parse(moment) + minutes * 60_000).toISOString();

const places: [id: string, name: string, city: string, country: string, state: Server["state"]][] = [
  ["n-msk", "msk-01", "Moscow", "RU", "online"],
  ["n-hel", "hel-01", "Helsinki", "FI", "online"],
  ["n-fra", "fra-02", "Frankfurt", "DE", "online"],
  ["n-ams", "ams-01", "Amsterdam", "NL", "degraded"],
  ["n-lon", "lon-01", "London", "GB", "online"],
  ["n-vie", "vie-01", "Vienna", "AT", "online"],
];
export const servers: Server[] = places.map(([id, name, city, country_code, state]) => ({
  id,
  name,
  city,
  country_code,
  state,
}));

export const europe: Drawing = {
  nodes: [
    {
      key: "entry",
      kind: "entry",
      title: "Moscow entry",
      node_id: "n-msk",
      node_domain_id: "d-1",
      params: {
        listener: { protocol: "vless", port: 443, security: "reality", reality: { target: "dl.example.org:443" } },
      },
    },
    {
      key: "entry-2",
      kind: "entry",
      title: "Mobile entry",
      node_id: "n-msk",
      params: { listener: { protocol: "shadowsocks2022", port: 8388, method: "2022-blake3-aes-256-gcm" } },
    },
    { key: "direct", kind: "direct" },
    { key: "block", kind: "block" },
    { key: "exit", kind: "exit", node_id: "n-lon" },
    { key: "transit", kind: "transit", title: "Baltic transit", node_id: "n-hel" },
    { key: "exit-2", kind: "exit", node_id: "n-fra" },
    { key: "exit-3", kind: "exit", node_id: "n-ams" },
  ],
  edges: [
    { from: "entry", to: "direct", match: { domain: ["full:gosuslugi.ru"], geosite: ["ru"] }, priority: 10 },
    { from: "entry", to: "block", match: { geosite: ["category-ads"] }, priority: 20 },
    { from: "entry", to: "exit", match: { geosite: ["bbc", "itv"] }, priority: 30 },
    { from: "entry", to: "transit" },
    { from: "entry-2", to: "transit" },
    { from: "transit", to: "exit-3", match: { port: "25,465" }, priority: 10, transport: "xhttp" },
    { from: "transit", to: "exit-2" },
  ],
};
