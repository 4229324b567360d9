import type { components } from "@/api/schema.gen";

/** The drawing of a flow, in the shape of the API, and what can be read from it. */

type Schemas = components["schemas"];

export type Drawing = Schemas["GraphGraph"];
export type Block = Schemas["GraphNode"];
export type Edge = Schemas["GraphEdge"];
export type Match = Schemas["GraphMatch"];
export type Listener = Schemas["GraphListener"];
export type Position = Schemas["GraphPosition"];
export type BlockKind = Block["kind"];
export type Protocol = NonNullable<Listener["protocol"]>;

/** An edge with its place in the drawing, which is also its name in problems: `edges[index]`. */
export interface Way {
  index: number;
  edge: Edge;
}

export const maxBlocks = 200;
export const maxDepth = 4;
export const emptyDrawing: Drawing = { nodes: [], edges: [] };

/** The kinds that the panel can run today, in the order of the menu. */
export const offeredKinds = [
  "entry",
  "transit",
  "transit_pool",
  "exit",
  "direct",
  "custom",
  "block",
] as const satisfies readonly BlockKind[];

const terminal = new Set<BlockKind>(["exit", "direct", "custom", "block"]);
const onServer = new Set<BlockKind>(["entry", "transit", "exit"]);

export function isTerminal(kind: BlockKind): boolean {
  return terminal.has(kind);
}

export function needsServer(kind: BlockKind): boolean {
  return onServer.has(kind);
}

export function findBlock(drawing: Drawing, key: string | undefined): Block | undefined {
  return drawing.nodes.find((block) => block.key === key);
}

export function isEverything(match: Match | undefined): boolean {
  return match === undefined || (matchValues(match).length === 0 && !match.port);
}

function matchValues(match: Match): string[] {
  const { domain, geosite, geoip, ip, protocol, sets } = match;
  return [domain, geosite, geoip, ip, protocol, sets].flatMap((values) => values ?? []);
}

/** A rule whose condition is still to be written: it was added as a rule, beside the one for everything else. */
export function isUnwritten(edge: Edge): boolean {
  return edge.match !== undefined && isEverything(edge.match);
}

// Conditions first, then rules still to be written, everything else last.
function turn(edge: Edge): number {
  if (!isEverything(edge.match)) return 0;
  return isUnwritten(edge) ? 1 : 2;
}

/** The ways out of a block in the order in which they are tried: conditions by priority, then the rest. */
export function waysFrom(drawing: Drawing, key: string): readonly Way[] {
  let known = ways.get(drawing.edges);
  if (!known) ways.set(drawing.edges, (known = waysOf(drawing.edges)));
  return known.get(key) ?? none;
}

// Edges never change, and a large drawing is asked for the ways of each of its blocks many times.
const ways = new WeakMap<Drawing["edges"], Map<string, readonly Way[]>>();
const none: readonly Way[] = [];

function waysOf(edges: Drawing["edges"]): Map<string, readonly Way[]> {
  const all = edges.map((edge, index) => ({ index, edge, turn: turn(edge), priority: edge.priority ?? 0 }));
  all.sort((a, b) => a.turn - b.turn || a.priority - b.priority || a.index - b.index);
  const found = new Map<string, Way[]>();
  for (const { index, edge } of all) {
    const others = found.get(edge.from);
    if (others) others.push({ index, edge });
    else found.set(edge.from, [{ index, edge }]);
  }
  return found;
}

/** Whether the ways out of a block are worth a block of rules: more than one, or one with a condition. */
export function hasRules(drawing: Drawing, key: string): boolean {
  const ways = waysFrom(drawing, key);
  return ways.length > 1 || ways.some((way) => !isEverything(way.edge.match));
}

/** Keys that can be reached from a block, itself included. */
export function reachedFrom(drawing: Drawing, key: string): Set<string> {
  const seen = new Set<string>();
  const visit = (at: string) => {
    if (seen.has(at)) return;
    seen.add(at);
    drawing.edges.filter((edge) => edge.from === at).forEach((edge) => visit(edge.to));
  };
  visit(key);
  return seen;
}

/** Why a way from one block to another cannot be drawn, or undefined when it can. */
export function connectionFault(
  drawing: Drawing,
  from: string,
  to: string,
): "same" | "end" | "entry" | "circle" | "exists" | undefined {
  const [source, target] = [findBlock(drawing, from), findBlock(drawing, to)];
  if (!source || !target || from === to) return "same";
  if (isTerminal(source.kind)) return "end";
  if (target.kind === "entry") return "entry";
  if (reachedFrom(drawing, to).has(from)) return "circle";
  const rest = drawing.edges.some((edge) => edge.from === from && edge.to === to && isEverything(edge.match));
  return rest ? "exists" : undefined;
}

/** Edges on every path through the chosen blocks and edges: what leads there and what follows. */
export function litEdges(drawing: Drawing, keys: readonly string[], edges: readonly number[] = []): Set<number> {
  const lit = new Set<number>(edges);
  const follow = (key: string, near: "from" | "to", far: "from" | "to", seen: Set<string>) => {
    if (seen.has(key)) return;
    seen.add(key);
    drawing.edges.forEach((edge, index) => {
      if (edge[near] !== key) return;
      lit.add(index);
      follow(edge[far], near, far, seen);
    });
  };
  const [back, ahead] = [new Set<string>(), new Set<string>()];
  keys.forEach((key) => {
    follow(key, "to", "from", back);
    follow(key, "from", "to", ahead);
  });
  edges.forEach((index) => {
    const edge = drawing.edges[index];
    if (!edge) return;
    follow(edge.from, "to", "from", back);
    follow(edge.to, "from", "to", ahead);
  });
  return lit;
}

/** "443", "20000-20010" or nothing. */
export function portText(listener: Listener | undefined): string {
  return listener?.port_range || (listener?.port ? String(listener.port) : "");
}

/** What hides the traffic of a listener, also where the drawing leaves it to the protocol. */
export function securityOf(listener: Listener): NonNullable<Listener["security"]> {
  if (listener.protocol === "shadowsocks2022" || listener.protocol === "wireguard") return "none";
  if (listener.protocol === "hysteria2") return "tls";
  return listener.security ?? (listener.protocol === "trojan" || listener.protocol === "vmess" ? "tls" : "reality");
}

/** "VLESS · REALITY · 443": what clients speak, in one line. */
export function listenerLine(listener: Listener | undefined, separator = " · "): string {
  if (!listener?.protocol) return "";
  const transport =
    listener.transport && listener.transport !== "raw"
      ? { xhttp: "XHTTP", grpc: "gRPC", ws: "WS", httpupgrade: "HTTPUpgrade", quic: "" }[listener.transport]
      : "";
  const security = { reality: "REALITY", tls: "TLS", none: "" }[securityOf(listener)];
  const parts =
    listener.protocol === "shadowsocks2022" || listener.protocol === "wireguard"
      ? [{ shadowsocks2022: "Shadowsocks 2022", wireguard: "WireGuard" }[listener.protocol]]
      : [
          { vless: "VLESS", trojan: "Trojan", vmess: "VMess", hysteria2: "Hysteria 2" }[listener.protocol],
          transport,
          security,
        ];
  return [...parts, portText(listener)].filter(Boolean).join(separator);
}

/** The values of a condition as short text: "geosite:ru, youtube.com, 2 more". Empty for everything. */
export function matchLine(match: Match | undefined, more: (count: number) => string): string {
  if (!match || isEverything(match)) return "";
  const words = [
    ...(match.domain ?? []),
    ...(match.geosite ?? []).map((value) => `geosite:${value}`),
    ...(match.geoip ?? []).map((value) => `geoip:${value}`),
    ...(match.ip ?? []),
    ...(match.sets ?? []).map((value) => `set:${value}`),
    ...(match.protocol ?? []),
    ...(match.port ? [`:${match.port}`] : []),
  ];
  const shown = words.slice(0, 2).join(", ");
  return words.length > 2 ? `${shown}, ${more(words.length - 2)}` : shown;
}

/** The same drawing where it holds no private key, else one without them. */
export function withoutPrivateKeys(drawing: Drawing): Drawing {
  const clean = (listener: Listener | undefined) => {
    if (!listener?.reality?.private_key) return listener;
    const { private_key: _, ...reality } = listener.reality;
    return { ...listener, reality };
  };
  let found = false;
  const nodes = drawing.nodes.map((block) => {
    const { listener, hop } = block.params ?? {};
    if (!listener?.reality?.private_key && !hop?.reality?.private_key) return block;
    found = true;
    return {
      ...block,
      params: {
        ...block.params,
        ...(listener && { listener: clean(listener) }),
        ...(hop && { hop: clean(hop) }),
      },
    };
  });
  return found ? { ...drawing, nodes } : drawing;
}
