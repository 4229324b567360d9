import {
  connectionFault,
  findBlock,
  isEverything,
  maxBlocks,
  waysFrom,
  type Block,
  type BlockKind,
  type Drawing,
  type Edge,
  type Listener,
  type Match,
  type Position,
  type Protocol,
} from "./drawing";

/** Every edit takes a drawing and gives a new one; canvas and outline use the same edits, so their drafts are equal. */

export const snap = 8;

export function snapped(position: Position): Position {
  return { x: Math.round(position.x / snap) * snap, y: Math.round(position.y / snap) * snap };
}

/** A key that is free: the kind, with a number from the second one on. */
export function freeKey(drawing: Drawing, stem: string): string {
  const taken = new Set(drawing.nodes.map((block) => block.key));
  if (!taken.has(stem)) return stem;
  for (let number = 2; ; number += 1) if (!taken.has(`${stem}-${number}`)) return `${stem}-${number}`;
}

function freshBlock(drawing: Drawing, kind: BlockKind, position: Position | undefined): Block {
  const block: Block = { key: freeKey(drawing, kind), kind };
  if (kind === "entry")
    block.params = { listener: { protocol: "vless", port: 443, security: "reality", reality: { target: "" } } };
  if (position) block.position = snapped(position);
  return block;
}

/** Adds a block, and a way to it where one was asked for and can be drawn. */
export function addBlock(
  drawing: Drawing,
  kind: BlockKind,
  options: { after?: string; position?: Position } = {},
): { drawing: Drawing; key: string } {
  if (drawing.nodes.length >= maxBlocks) return { drawing, key: "" };
  const block = freshBlock(drawing, kind, options.position);
  const next = { ...drawing, nodes: [...drawing.nodes, block] };
  return { drawing: options.after ? connect(next, options.after, block.key) : next, key: block.key };
}

/** Draws a way. The first one takes everything; a further one needs a condition and goes before the rest. */
export function connect(drawing: Drawing, from: string, to: string): Drawing {
  if (connectionFault(drawing, from, to) !== undefined) return drawing;
  const ways = waysFrom(drawing, from);
  const edge: Edge = { from, to };
  if (ways.some((way) => isEverything(way.edge.match))) edge.match = { domain: [] };
  return renumbered({ ...drawing, edges: [...drawing.edges, edge] }, from);
}

export function removeEdge(drawing: Drawing, index: number): Drawing {
  const edge = drawing.edges[index];
  if (!edge) return drawing;
  return renumbered({ ...drawing, edges: drawing.edges.filter((_, at) => at !== index) }, edge.from);
}

/** Removes blocks with every way from and to them. */
export function removeBlocks(drawing: Drawing, keys: readonly string[]): Drawing {
  const gone = new Set(keys);
  if (!drawing.nodes.some((block) => gone.has(block.key))) return drawing;
  return {
    nodes: drawing.nodes.filter((block) => !gone.has(block.key)),
    edges: drawing.edges.filter((edge) => !gone.has(edge.from) && !gone.has(edge.to)),
  };
}

export function changeBlock(drawing: Drawing, key: string, change: (block: Block) => Block): Drawing {
  return { ...drawing, nodes: drawing.nodes.map((block) => (block.key === key ? change(block) : block)) };
}

/** Sets one field of a block by its dotted path, such as `params.listener.port`. An empty value removes the field. */
export function setField(drawing: Drawing, key: string, path: string, value: unknown): Drawing {
  return changeBlock(drawing, key, (block) => withValue(block, path.split("."), value) as Block);
}

/** Sets one field of an edge, such as `match.domain`, `to` or `transport`. */
export function setEdgeField(drawing: Drawing, index: number, path: string, value: unknown): Drawing {
  const changed = {
    ...drawing,
    edges: drawing.edges.map((edge, at) =>
      at === index ? rankedLast(edge, withValue(edge, path.split("."), value) as Edge) : edge,
    ),
  };
  const from = changed.edges[index]?.from;
  return from && path.startsWith("match") ? renumbered(changed, from) : changed;
}

// A way that gets its first condition goes behind the other conditions, not before them.
function rankedLast(before: Edge, after: Edge): Edge {
  if (isEverything(before.match) === isEverything(after.match)) return after;
  const { priority: _, ...rest } = after;
  return isEverything(after.match) ? rest : { ...rest, priority: 10_000 };
}

export function setMatch(drawing: Drawing, index: number, match: Match | undefined): Drawing {
  return setEdgeField(drawing, index, "match", match);
}

function withValue(target: unknown, path: string[], value: unknown): unknown {
  const [head, ...rest] = path as [string, ...string[]];
  const old = (target ?? {}) as Record<string, unknown>;
  const next = rest.length === 0 ? value : withValue(old[head], rest, value);
  const { [head]: _, ...others } = old;
  return isEmptyValue(next) ? others : { ...old, [head]: next };
}

/** Values as they are meant: "a.com, b.com c.com" are three. A `regexp:` is one value whatever it contains. */
export function splitValues(values: readonly string[]): string[] {
  const one = (value: string) => (value.trim().startsWith("regexp:") ? [value.trim()] : value.split(/[\s,;]+/));
  return [...new Set(values.flatMap(one).filter(Boolean))];
}

function isEmptyValue(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}

/** Moves a way of a block one place up or down among those with a condition. */
export function moveWay(drawing: Drawing, index: number, step: -1 | 1): Drawing {
  const edge = drawing.edges[index];
  if (!edge || isEverything(edge.match)) return drawing;
  const order = waysFrom(drawing, edge.from).filter((way) => !isEverything(way.edge.match));
  const at = order.findIndex((way) => way.index === index);
  const other = order[at + step];
  if (!other) return drawing;
  order[at + step] = order[at]!;
  order[at] = other;
  return withPriorities(
    drawing,
    order.map((way) => way.index),
  );
}

// Priorities are kept distinct and small, so that the order on the screen is the order on the server.
function renumbered(drawing: Drawing, from: string): Drawing {
  return withPriorities(
    drawing,
    waysFrom(drawing, from)
      .filter((way) => !isEverything(way.edge.match))
      .map((way) => way.index),
  );
}

function withPriorities(drawing: Drawing, order: number[]): Drawing {
  if (order.length === 0) return drawing;
  return {
    ...drawing,
    edges: drawing.edges.map((edge, index) =>
      order.includes(index) ? { ...edge, priority: (order.indexOf(index) + 1) * 10 } : edge,
    ),
  };
}

/** Copies blocks with the ways among them; the copies stand a little aside. */
export function duplicate(
  drawing: Drawing,
  keys: readonly string[],
  positions: Record<string, Position> = {},
): { drawing: Drawing; keys: string[] } {
  const chosen = keys.flatMap((key) => findBlock(drawing, key) ?? []);
  return paste(drawing, {
    nodes: chosen.map((block) => ({ ...block, position: block.position ?? positions[block.key] })),
    edges: drawing.edges.filter((edge) => keys.includes(edge.from) && keys.includes(edge.to)),
  });
}

/** Adds copied blocks under free keys. */
export function paste(drawing: Drawing, copied: Drawing): { drawing: Drawing; keys: string[] } {
  if (drawing.nodes.length + copied.nodes.length > maxBlocks) return { drawing, keys: [] };
  let next = drawing;
  const renamed = new Map<string, string>();
  copied.nodes.forEach((block) => {
    const key = freeKey(next, block.kind);
    renamed.set(block.key, key);
    const position = block.position && snapped({ x: block.position.x + 24, y: block.position.y + 24 });
    next = { ...next, nodes: [...next.nodes, { ...block, key, ...(position && { position }) }] };
  });
  const edges = copied.edges.map((edge) => ({ ...edge, from: renamed.get(edge.from)!, to: renamed.get(edge.to)! }));
  return { drawing: { ...next, edges: [...next.edges, ...edges] }, keys: [...renamed.values()] };
}

/** Puts blocks where they were drawn; the result runs the same. */
export function place(drawing: Drawing, positions: Record<string, Position>): Drawing {
  return {
    ...drawing,
    nodes: drawing.nodes.map((block) =>
      positions[block.key] ? { ...block, position: snapped(positions[block.key]!) } : block,
    ),
  };
}

/** Changes the protocol of a listener and drops what the other protocol does not know. */
export function withProtocol(listener: Listener, protocol: Protocol): Listener {
  const { listen_ip, port, port_range } = listener;
  const address = { ...(listen_ip && { listen_ip }), ...(port && { port }), ...(port_range && { port_range }) };
  if (protocol === "shadowsocks2022") return { protocol, ...address, method: "2022-blake3-aes-256-gcm" };
  if (protocol === "wireguard") return { protocol, ...(listen_ip && { listen_ip }), ...(port && { port }) };
  if (protocol === "hysteria2") return { protocol, ...address, obfs: "salamander" };
  if (protocol === "trojan" || protocol === "vmess")
    return { protocol, ...address, security: "tls", ...carriedBy(listener) };
  if (listener.protocol === "trojan" || listener.protocol === "vmess")
    return { protocol, ...address, security: "tls", ...carriedBy(listener) };
  return { protocol, ...address, security: "reality", reality: listener.reality ?? { target: "" } };
}

/** A VMess listener with TLS or by itself. */
export function withTLS(listener: Listener, tls: boolean): Listener {
  return { ...listener, security: tls ? "tls" : "none" };
}

/** A VLESS listener with the other security; REALITY knows no upgrade of HTTP. */
export function withSecurity(listener: Listener, security: "reality" | "tls" | "none"): Listener {
  const { reality, transport, path, ...rest } = listener;
  if (security !== "reality") return { ...rest, security, ...(transport && { transport }), ...(path && { path }) };
  const upgrade = transport === "ws" || transport === "httpupgrade";
  return {
    ...rest,
    security,
    ...(!upgrade && transport && { transport }),
    ...(!upgrade && path && { path }),
    reality: reality ?? { target: "" },
  };
}

function carriedBy({ transport, path, mode, service_name, fingerprint }: Listener): Listener {
  return {
    ...(transport && { transport }),
    ...(path && { path }),
    ...(mode && { mode }),
    ...(service_name && { service_name }),
    ...(fingerprint && { fingerprint }),
  };
}
