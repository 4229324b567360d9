import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  connectionFault,
  hasRules,
  isEverything,
  isUnwritten,
  litEdges,
  listenerLine,
  matchLine,
  reachedFrom,
  waysFrom,
  type Drawing,
} from "./drawing";
import {
  addBlock,
  connect,
  duplicate,
  moveWay,
  place,
  removeBlocks,
  removeEdge,
  setEdgeField,
  setField,
  splitValues,
  withProtocol,
  withSecurity,
  withTLS,
} from "./drawing-edits";
import { europe } from "../testing/places";
import { blockWidth, headHeight, layout, positionsOf } from "./layout";
import { countCrossings, routesOf } from "./routes";

const pair: Drawing = {
  nodes: [
    { key: "entry", kind: "entry" },
    { key: "exit", kind: "exit" },
  ],
  edges: [{ from: "entry", to: "exit" }],
};

describe("edits of a drawing", () => {
  it("gives a new block a free key and draws a way to it", () => {
    const { drawing, key } = addBlock(pair, "exit", { after: "entry" });
    expect(key).toBe("exit-2");
    expect(drawing.edges.at(-1)).toMatchObject({ from: "entry", to: "exit-2" });
  });

  it("removes the ways of a removed block", () => {
    expect(removeBlocks(pair, ["exit"])).toEqual({ nodes: [pair.nodes[0]], edges: [] });
  });

  it("sets a field by its path and removes it when it becomes empty", () => {
    const set = setField(pair, "entry", "params.listener.port", 443);
    expect(set.nodes[0]!.params).toEqual({ listener: { port: 443 } });
    expect(setField(set, "entry", "params.listener.port", undefined).nodes[0]!.params).toEqual({ listener: {} });
    expect(pair.nodes[0]!.params).toBeUndefined();
  });

  it("puts a way that gets its first condition behind the other conditions", () => {
    const more = connect(addBlock(europe, "direct").drawing, "entry", "direct-2");
    const index = more.edges.length - 1;
    const set = setEdgeField(more, index, "match.domain", ["example.com"]);
    const order = waysFrom(set, "entry").map((way) => way.index);
    expect(order.at(-2)).toBe(index);
    expect(isEverything(set.edges[order.at(-1)!]!.match)).toBe(true);
  });

  it("opens a second target as a rule above the one for everything else", () => {
    const more = connect(connect(pair, "entry", "exit"), "entry", "exit");
    expect(more).toBe(pair);
    const added = addBlock(pair, "direct").drawing;
    const joined = connect(added, "entry", "direct");
    expect(waysFrom(joined, "entry").map((way) => way.edge.to)).toEqual(["direct", "exit"]);
    expect(isUnwritten(joined.edges.at(-1)!)).toBe(true);
    const written = setEdgeField(joined, 1, "match.domain", ["example.org"]);
    expect(waysFrom(written, "entry").map((way) => way.edge.to)).toEqual(["direct", "exit"]);
    expect(isUnwritten(setEdgeField(written, 1, "match.domain", undefined).edges[1]!)).toBe(true);
  });

  it("understands commas and spaces between values", () => {
    expect(splitValues(["youtube.com, googlevideo.com"])).toEqual(["youtube.com", "googlevideo.com"]);
    expect(splitValues([" a.com", "b.com;c.com\nd.com", "a.com", ""])).toEqual(["a.com", "b.com", "c.com", "d.com"]);
    expect(splitValues(["regexp:^a{1,3}\\.com$"])).toEqual(["regexp:^a{1,3}\\.com$"]);
  });

  it("moves rules and keeps what takes the rest at the end", () => {
    const moved = moveWay(europe, 0, 1);
    expect(waysFrom(moved, "entry").map((way) => way.index)).toEqual([1, 0, 2, 3]);
    expect(moveWay(europe, 3, -1)).toBe(europe);
  });

  it("copies blocks with the ways among them", () => {
    const { drawing, keys } = duplicate(pair, ["entry", "exit"]);
    expect(keys).toEqual(["entry-2", "exit-2"]);
    expect(drawing.edges.at(-1)).toEqual({ from: "entry-2", to: "exit-2" });
  });

  it("drops what the other protocol does not know", () => {
    const changed = withProtocol(
      { protocol: "vless", port: 443, security: "reality", reality: { target: "a:443" }, transport: "xhttp" },
      "shadowsocks2022",
    );
    expect(changed).toEqual({ protocol: "shadowsocks2022", port: 443, method: "2022-blake3-aes-256-gcm" });
  });

  it("shows what hides the traffic of a listener", () => {
    expect(listenerLine({ protocol: "vless", port: 443, security: "tls", transport: "ws" })).toBe(
      "VLESS · WS · TLS · 443",
    );
    expect(listenerLine({ protocol: "trojan", port: 443 })).toBe("Trojan · TLS · 443");
    expect(listenerLine({ protocol: "vmess", port: 80, security: "none", transport: "ws" })).toBe("VMess · WS · 80");
    expect(listenerLine({ protocol: "wireguard", port: 51820 })).toBe("WireGuard · 51820");
    expect(listenerLine({ protocol: "hysteria2", port_range: "2000-2010" })).toBe("Hysteria 2 · TLS · 2000-2010");
    expect(listenerLine({ protocol: "vless", port: 443 })).toBe("VLESS · REALITY · 443");
    expect(listenerLine({ protocol: "shadowsocks2022", port: 8388 })).toBe("Shadowsocks 2022 · 8388");
  });

  it("keeps what TLS and REALITY share, and drops what they do not", () => {
    const upgraded = { protocol: "vless", port: 443, security: "tls", transport: "ws", path: "/up" } as const;
    expect(withSecurity(upgraded, "reality")).toEqual({
      protocol: "vless",
      port: 443,
      security: "reality",
      reality: { target: "" },
    });
    const hidden = {
      protocol: "vless",
      port: 443,
      transport: "xhttp",
      path: "/up",
      reality: { target: "a:443" },
    } as const;
    expect(withSecurity(hidden, "tls")).toEqual({
      protocol: "vless",
      port: 443,
      security: "tls",
      transport: "xhttp",
      path: "/up",
    });
    expect(withProtocol(upgraded, "trojan")).toEqual({ ...upgraded, protocol: "trojan" });
    expect(withProtocol({ ...upgraded, protocol: "trojan" }, "vless")).toEqual(upgraded);
    expect(withProtocol(upgraded, "vmess")).toEqual({ ...upgraded, protocol: "vmess" });
    expect(withProtocol({ ...upgraded, protocol: "vmess" }, "vless")).toEqual(upgraded);
    expect(withProtocol(upgraded, "hysteria2")).toEqual({
      protocol: "hysteria2",
      port: upgraded.port,
      obfs: "salamander",
    });
    expect(withTLS({ ...upgraded, protocol: "vmess" }, false)).toEqual({
      ...upgraded,
      protocol: "vmess",
      security: "none",
    });
  });

  it("never draws a circle, a way into an entry or a way after an end", () => {
    const kinds = fc.constantFrom("entry", "transit", "exit", "direct", "block");
    fc.assert(
      fc.property(
        fc.array(kinds, { minLength: 2, maxLength: 8 }),
        fc.array(fc.tuple(fc.nat(7), fc.nat(7)), { maxLength: 30 }),
        (chosen, links) => {
          const nodes = chosen.map((kind, index) => ({ key: `b${index}`, kind }) as Drawing["nodes"][0]);
          const drawn = links.reduce<Drawing>(
            (drawing, [a, b]) => connect(drawing, `b${a % nodes.length}`, `b${b % nodes.length}`),
            { nodes, edges: [] },
          );
          for (const edge of drawn.edges) {
            const [from, to] = [
              nodes.find((node) => node.key === edge.from)!,
              nodes.find((node) => node.key === edge.to)!,
            ];
            expect(to.kind).not.toBe("entry");
            expect(["entry", "transit"]).toContain(from.kind);
            expect(reachedFrom(drawn, edge.to).has(edge.from)).toBe(false);
          }
        },
      ),
    );
  });
});

describe("reading a drawing", () => {
  it("says why a way cannot be drawn", () => {
    expect(connectionFault(europe, "exit", "direct")).toBe("end");
    expect(connectionFault(europe, "transit", "entry")).toBe("entry");
    expect(connectionFault(europe, "entry", "transit")).toBe("exists");
    expect(connectionFault(europe, "transit", "direct")).toBeUndefined();
  });

  it("lights every path through a block and no other", () => {
    expect([...litEdges(europe, ["transit"])].sort()).toEqual([3, 4, 5, 6]);
    expect([...litEdges(europe, [], [1])].sort()).toEqual([1]);
  });

  it("tells protocol and condition in one line", () => {
    expect(listenerLine(europe.nodes[0]!.params!.listener)).toBe("VLESS · REALITY · 443");
    expect(listenerLine(europe.nodes[1]!.params!.listener)).toBe("Shadowsocks 2022 · 8388");
    expect(matchLine({ domain: ["a.ru", "b.ru"], port: "443" }, (count) => `${count} more`)).toBe("a.ru, b.ru, 1 more");
    expect(hasRules(europe, "entry-2")).toBe(false);
  });

  it("counts a set of the catalogue as a condition", () => {
    const match = { sets: ["ads", "banks"], domain: ["a.ru"] };
    expect(isEverything({ sets: ["ads"] })).toBe(false);
    expect(isUnwritten({ from: "entry", to: "exit", match: { sets: [] } })).toBe(true);
    expect(matchLine({ sets: ["ads"] }, String)).toBe("set:ads");
    expect(matchLine(match, (count) => `${count} more`)).toBe("a.ru, set:ads, 1 more");
    const ruled: Drawing = { ...pair, edges: [{ from: "entry", to: "exit", match: { sets: ["ads"] } }] };
    expect(hasRules(ruled, "entry")).toBe(true);
    const more = connect(addBlock(ruled, "block").drawing, "entry", "block");
    expect(waysFrom(more, "entry").map(({ edge }) => edge.to)).toEqual(["exit", "block"]);
  });

  it("ends at a custom plan as at an exit", () => {
    const { drawing, key } = addBlock(pair, "custom", { after: "entry" });
    expect(key).toBe("custom");
    expect(connectionFault(drawing, "custom", "exit")).toBe("end");
    expect(positionsOf(drawing)["custom"]!.x).toBe(positionsOf(drawing)["exit"]!.x);
  });
});

const rulesTo = (targets: string[]): Drawing => ({
  nodes: [...targets.map((key) => ({ key, kind: "exit" as const })), { key: "entry", kind: "entry" }],
  edges: targets.map((to, index) => ({
    from: "entry",
    to,
    match: { domain: [`${to}.example`] },
    priority: (index + 1) * 10,
  })),
});

describe("layout", () => {
  it("draws the rules of an entry without a crossing, in the order in which they are tried", () => {
    const drawing = rulesTo(Array.from({ length: 12 }, (_, index) => `exit-${index + 1}`));
    const positions = layout(drawing);
    const fromTop = Object.keys(positions)
      .filter((key) => key !== "entry")
      .sort((a, b) => positions[a]!.y - positions[b]!.y);
    expect(fromTop).toEqual(drawing.edges.map((edge) => edge.to));
    expect(countCrossings(drawing, positions)).toBe(0);
  });

  it("opens a drawing that nobody has arranged as it would be arranged", () => {
    const drawing = rulesTo(Array.from({ length: 12 }, (_, index) => `exit-${index + 1}`));
    expect(positionsOf(drawing)).toEqual(layout(drawing));
    expect(countCrossings(drawing, positionsOf(drawing))).toBe(0);
  });

  it("draws no crossing where none is needed, whatever the order in the drawing", () => {
    const ends = fc.uniqueArray(fc.integer({ min: 1, max: 30 }), { minLength: 2, maxLength: 12 });
    fc.assert(
      fc.property(ends, fc.integer({ min: 0, max: 12 }), (numbers, hops) => {
        const drawing = rulesTo(numbers.map((number) => `exit-${number}`));
        const behind = numbers.slice(0, hops).map((number) => `transit-${number}`);
        const chains = drawing.edges.map((edge, index) => (index < hops ? { ...edge, to: behind[index]! } : edge));
        const onward = behind.map((from, index) => ({ from, to: `exit-${numbers[index]!}` }));
        const longer = {
          nodes: [...drawing.nodes, ...behind.map((key) => ({ key, kind: "transit" as const }))],
          edges: [...onward, ...chains],
        };
        expect(countCrossings(longer, layout(longer))).toBe(0);
      }),
    );
  });

  it("leads a long way past the blocks between its ends, also when they were put there by hand", () => {
    const drawing: Drawing = {
      nodes: [
        { key: "entry", kind: "entry" },
        { key: "transit", kind: "transit" },
        { key: "exit", kind: "exit" },
        { key: "direct", kind: "direct" },
      ],
      edges: [
        { from: "entry", to: "direct", match: { geosite: ["ru"] }, priority: 10 },
        { from: "entry", to: "transit" },
        { from: "transit", to: "exit" },
      ],
    };
    const at = {
      entry: { x: 0, y: 96 },
      transit: { x: 460, y: 160 },
      exit: { x: 760, y: 160 },
      direct: { x: 760, y: 240 },
    };
    const past = routesOf(drawing, at)
      .get(0)!
      .filter(({ x }) => x > 410 && x < 700);
    expect(past).toHaveLength(2);
    expect(past.every(({ y }) => y < at.transit.y || y > at.transit.y + headHeight)).toBe(true);
  });

  it("leads a way on at its height from one column to the next, without a kink between them", () => {
    const drawing: Drawing = {
      nodes: [
        { key: "entry", kind: "entry" },
        { key: "transit", kind: "transit" },
        { key: "one", kind: "exit" },
        { key: "other", kind: "exit" },
        { key: "direct", kind: "direct" },
      ],
      edges: [
        { from: "entry", to: "direct", match: { domain: ["example.org"] }, priority: 0 },
        { from: "entry", to: "transit" },
        { from: "transit", to: "one", match: { domain: ["example.net"] }, priority: 0 },
        { from: "transit", to: "other" },
      ],
    };
    const corners = routesOf(drawing, layout(drawing)).get(0)!.slice(1, -1);
    expect(corners.length, "it passes the transit and its rules").toBe(4);
    expect(new Set(corners.map(({ y }) => y)).size).toBe(1);
  });

  it("covers no block with another in a drawing of any form", () => {
    const kinds = fc.constantFrom("entry", "transit", "exit", "direct");
    fc.assert(
      fc.property(
        fc.array(kinds, { minLength: 2, maxLength: 20 }),
        fc.array(fc.tuple(fc.nat(19), fc.nat(19)), { maxLength: 40 }),
        (chosen, links) => {
          const nodes = chosen.map((kind, index) => ({ key: `b${index}`, kind }) as Drawing["nodes"][0]);
          const drawing = links.reduce<Drawing>(
            (drawn, [a, b]) => connect(drawn, `b${a % nodes.length}`, `b${b % nodes.length}`),
            { nodes, edges: [] },
          );
          const boxes = Object.values(layout(drawing));
          boxes.forEach((one, at) =>
            boxes
              .slice(at + 1)
              .forEach((two) =>
                expect(Math.abs(one.x - two.x) >= blockWidth || Math.abs(one.y - two.y) >= headHeight).toBe(true),
              ),
          );
        },
      ),
    );
  });

  it("covers no block with another, keeps ends in one column and snaps to 8 px", () => {
    const positions = layout(europe);
    const boxes = Object.entries(positions);
    for (const [a, one] of boxes)
      for (const [b, two] of boxes)
        if (a < b)
          expect(
            Math.abs(one.x - two.x) >= blockWidth || Math.abs(one.y - two.y) >= headHeight,
            `${a} covers ${b}`,
          ).toBe(true);
    expect(new Set(["direct", "block", "exit", "exit-2", "exit-3"].map((key) => positions[key]!.x)).size).toBe(1);
    expect(boxes.every(([, { x, y }]) => x % 8 === 0 && y % 8 === 0)).toBe(true);
  });

  it("keeps blocks where they were put and finds room for a new one", () => {
    const placed = place(pair, { entry: { x: 80, y: 160 }, exit: { x: 400, y: 160 } });
    const more = addBlock(placed, "exit").drawing;
    expect(positionsOf(more).entry).toEqual({ x: 80, y: 160 });
    expect(positionsOf(more)["exit-2"]).toBeDefined();
  });

  it("does not change what runs", () => {
    expect(removeEdge(pair, 7)).toBe(pair);
    expect(place(pair, { entry: { x: 3, y: 5 } }).edges).toBe(pair.edges);
  });
});
