import type { Catalogue, CustomPlan, Outdated, Policy } from "./api";

const at = "2026-03-10T15:02:00Z";

/** A security policy that one flow obeys. */
export const modern: Policy = {
  id: "01890000-0000-7000-8000-0000000000a1",
  name: "Modern only",
  kind: "security",
  rules: [{ type: "securities", name: "No plain ports", values: ["tls", "reality"] }, { type: "private_addresses" }],
  allowed_protocols: ["vless", "trojan"],
  allowed_plans: [],
  catalogue_version: 3,
  used_by: [{ flow_id: "01890000-0000-7000-8000-0000000000f1", flow_name: "Office" }],
  created_at: at,
  updated_at: at,
  revision: 4,
};

export const catalogue: Catalogue = {
  version: 3,
  newest: 3,
  outdated: 2,
  note: "",
  saved_at: at,
  saved_by: "admin",
  sets: [{ name: "messengers", domain: ["telegram.org"], geosite: ["telegram"] }],
  presets: [{ name: "vision", protocol: "vless", security: "reality", flow: "xtls-rprx-vision" }],
  geo_tokens: ["geosite:ru"],
};

export const outdated: Outdated = {
  newest: 3,
  items: [
    {
      flow_id: "01890000-0000-7000-8000-0000000000f1",
      flow_name: "Office",
      catalogue_version: 1,
      changed_sets: ["messengers"],
    },
    {
      flow_id: "01890000-0000-7000-8000-0000000000f2",
      flow_name: "Warehouse",
      catalogue_version: 2,
      changed_sets: ["messengers"],
    },
  ],
};

/** A proxy with two versions, the newer of which nothing may use yet. */
export const upstream: CustomPlan = {
  id: "01890000-0000-7000-8000-0000000000c1",
  name: "Upstream",
  versions: [
    {
      id: "01890000-0000-7000-8000-0000000000d2",
      number: 2,
      body: { way: "socks", address: "proxy.example.net", port: 1080, user: "fleet" },
      has_password: true,
      schema_hash: "b",
      enabled_in_policies: [],
      used_by: [],
      created_at: at,
      created_by: "admin",
    },
    {
      id: "01890000-0000-7000-8000-0000000000d1",
      number: 1,
      body: { way: "direct", family: "ipv4" },
      has_password: false,
      schema_hash: "a",
      enabled_in_policies: [{ id: modern.id, name: modern.name }],
      used_by: [{ flow_id: "01890000-0000-7000-8000-0000000000f1", flow_name: "Office", installed: true }],
      created_at: at,
      created_by: "admin",
    },
  ],
  created_at: at,
  updated_at: at,
};
