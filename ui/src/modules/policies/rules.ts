import type { Policy, Rule } from "./api";

type Kind = Policy["kind"];
export const kinds: readonly Kind[] = ["security", "routing", "balancer", "limits"];
export const protocols = ["vless", "trojan", "shadowsocks2022", "vmess", "hysteria2", "wireguard"];

export const securities = ["none", "tls", "reality"];
export const transports = ["raw", "xhttp", "grpc", "ws", "httpupgrade", "quic"];

/** What a type of rules takes: a number from the least one on, a choice among values, free values, or nothing. */
export interface Form {
  kind: Kind;
  least?: number;
  values?: readonly string[];
  free?: true;
}

export const forms: Record<Rule["type"], Form> = {
  securities: { kind: "security", values: securities },
  transports: { kind: "security", values: transports },
  presets: { kind: "security", free: true },
  private_addresses: { kind: "security" },
  must_block: { kind: "routing", free: true },
  block_kinds: { kind: "routing", values: ["exit", "transit", "transit_pool", "direct", "custom"] },
  catalogue_sets: { kind: "routing" },
  geo_tokens: { kind: "routing" },
  pool_strategies: {
    kind: "balancer",
    values: ["ordered", "round_robin", "random", "least_ping", "least_load", "least_users", "sticky"],
  },
  pool_fallbacks: { kind: "balancer", values: ["block", "direct", "member", "pool"] },
  min_pool_members: { kind: "balancer", least: 1 },
  max_clients: { kind: "limits", least: 0 },
  max_nodes: { kind: "limits", least: 1 },
  max_entries: { kind: "limits", least: 1 },
};

export const typesOf = (kind: Kind) =>
  (Object.keys(forms) as Rule["type"][]).filter((type) => forms[type].kind === kind);

/** What is refused at a place of a form, whichever part of it. */
export const errorAt = (wrong: Record<string, string>, place: string) =>
  Object.entries(wrong).find(([field]) => field.startsWith(place))?.[1];

/** A rule to be filled in. */
export function fresh(type: Rule["type"]): Rule {
  const { least } = forms[type];
  return least === undefined ? { type } : { type, number: least };
}

/** A rule as it is sent: without members that its type does not take. */
export function sent(rule: Rule): Rule {
  const form = forms[rule.type];
  return {
    type: rule.type,
    ...(rule.name?.trim() && { name: rule.name.trim() }),
    ...(form.least !== undefined && { number: rule.number ?? form.least }),
    ...((form.values ?? form.free) && rule.values && rule.values.length > 0 && { values: rule.values }),
  };
}
