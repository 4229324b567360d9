import type { Policy, Rule } from "./api";

type Kind = Policy["kind"];
export const kinds: readonly Kind[] = ["security", "routing", "balancer", "limits"];
export const protocols = ["vless", "trojan", "shadowsocks2022", "vmess", "hysteria2", "wireguard"];

/** What a type of rules takes: a number, a choice among values, free values, or nothing. */
export interface Form {
  kind: Kind;
  number?: true;
  values?: readonly string[];
  free?: true;
}

export const forms: Record<Rule["type"], Form> = {
  securities: { kind: "security", values: ["none", "tls", "reality"] },
  transports: { kind: "security", values: ["raw", "xhttp", "grpc", "ws", "httpupgrade", "quic"] },
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
  min_pool_members: { kind: "balancer", number: true },
  max_clients: { kind: "limits", number: true },
  max_nodes: { kind: "limits", number: true },
  max_entries: { kind: "limits", number: true },
};

export const typesOf = (kind: Kind) =>
  (Object.keys(forms) as Rule["type"][]).filter((type) => forms[type].kind === kind);

/** A rule as it is sent: without members that its type does not take. */
export function sent(rule: Rule): Rule {
  const form = forms[rule.type];
  return {
    type: rule.type,
    ...(rule.name?.trim() && { name: rule.name.trim() }),
    ...(form.number && { number: rule.number ?? 0 }),
    ...((form.values ?? form.free) && rule.values && rule.values.length > 0 && { values: rule.values }),
  };
}
