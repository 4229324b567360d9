import type { Block } from "../../drawing/drawing";

type Kind = "text" | "number" | "list" | "flag";
type Shape = { [field: string]: Shape | Kind };

const limit: Shape = { after_bytes: "number", bytes_per_sec: "number", burst_bytes_per_sec: "number" };

const listener: Shape = {
  protocol: "text",
  listen_ip: "text",
  port: "number",
  port_range: "text",
  l4: "text",
  transport: "text",
  security: "text",
  flow: "text",
  method: "text",
  path: "text",
  mode: "text",
  service_name: "text",
  fingerprint: "text",
  alpn: "list",
  min_version: "text",
  obfs: "text",
  sniffing: "text",
  accept_proxy_protocol: "flag",
  extra: {
    x_padding_bytes: "text",
    no_grpc_header: "flag",
    no_sse_header: "flag",
    sc_max_each_post_bytes: "text",
    sc_min_posts_interval_ms: "text",
    sc_max_buffered_posts: "number",
    sc_stream_up_server_secs: "text",
    xmux: {
      max_concurrency: "text",
      max_connections: "text",
      c_max_reuse_times: "text",
      h_max_request_times: "text",
      h_max_reusable_secs: "text",
      h_keep_alive_period: "number",
    },
  },
  reality: {
    target: "text",
    target_result_id: "text",
    server_names: "list",
    short_ids: "list",
    max_time_diff: "number",
    allow_private_target: "flag",
    xver: "number",
    limit_fallback_up: limit,
    limit_fallback_down: limit,
    private_key: "text",
    public_key: "text",
    mldsa65: "flag",
  },
};

const block: Shape = {
  key: "text",
  kind: "text",
  title: "text",
  node_id: "text",
  pool_id: "text",
  node_domain_id: "text",
  params: {
    listener,
    hop: listener,
    private: "text",
    proxypanel: { connection_id: "text", squad_ids: "list", remark: "text" },
  },
  position: { x: "number", y: "number" },
};

export type JsonFault =
  { kind: "syntax" } | { kind: "unknown" | "type"; field: string } | { kind: "fixed"; field: string };

/** Reads a block written as JSON. Unknown fields and wrong types are faults; key and kind stay as they are. */
export function readBlock(text: string, original: Block): { block: Block } | { faults: JsonFault[] } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { faults: [{ kind: "syntax" }] };
  }
  if (value === null || typeof value !== "object" || Array.isArray(value)) return { faults: [{ kind: "syntax" }] };
  const faults = check(value as Record<string, unknown>, block, "");
  for (const field of ["key", "kind"] as const)
    if ((value as Record<string, unknown>)[field] !== original[field]) faults.push({ kind: "fixed", field });
  return faults.length > 0 ? { faults } : { block: value as Block };
}

function check(value: Record<string, unknown>, shape: Shape, prefix: string): JsonFault[] {
  return Object.entries(value).flatMap(([name, item]): JsonFault[] => {
    const field = prefix + name;
    const wanted = shape[name];
    if (wanted === undefined) return [{ kind: "unknown", field }];
    if (typeof wanted === "object")
      return item !== null && typeof item === "object" && !Array.isArray(item)
        ? check(item as Record<string, unknown>, wanted, `${field}.`)
        : [{ kind: "type", field }];
    return fits(item, wanted) ? [] : [{ kind: "type", field }];
  });
}

function fits(item: unknown, wanted: Kind): boolean {
  if (wanted === "flag") return typeof item === "boolean";
  if (wanted === "text") return typeof item === "string";
  if (wanted === "number") return typeof item === "number";
  return Array.isArray(item) && item.every((part) => typeof part === "string");
}
