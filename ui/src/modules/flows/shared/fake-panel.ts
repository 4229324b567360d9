import type { Apply, Check, Client, Draft, Flow, Plan, Server, Stage, Version, VersionSnapshot } from "./api";
import type { Drawing } from "../drawing/drawing";

/**
 * A panel for tests and pictures: flows in memory behind the same paths, with the revisions and refusals of the real
 * one.
 */

export const moment = "2026-03-14T12:04:00Z";
const at = (minutes: number) => new Date(Date.parse(moment) + minutes * 60_000).toISOString();

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

const client = (id: string, label: string, change: Partial<Client> = {}): Client => ({
  id,
  label,
  has_secret: true,
  has_public_link: false,
  installed: true,
  created_at: at(-60 * 24 * 20),
  revoked_at: null,
  ...change,
});

export function fakeFlow(change: Partial<Flow> = {}): Flow {
  return {
    id: "f-europe",
    name: "Europe main",
    description: "Main way out for Russia",
    tags: ["production"],
    state: "applied",
    enabled: true,
    drift: { state: "in_sync", node_ids: [], stages: [] },
    health_state: "healthy",
    owner_id: "anna",
    policy_id: null,
    entry: {
      key: "entry",
      node_id: "n-msk",
      node_domain_id: "d-1",
      host: "msk.example.net",
      listener: europe.nodes[0]!.params!.listener!,
    },
    clients: [
      client("c-1", "anna, phone", { has_public_link: true }),
      client("c-2", "oleg, laptop"),
      client("c-3", "new tablet", { installed: false }),
    ],
    draft_revision: 17,
    installed_revision: 16,
    installed_version_id: "v-17",
    installed_version_number: 17,
    installed_at: at(-60 * 48),
    bypassed_checks: [],
    last_apply_id: null,
    node_ids: ["n-msk", "n-hel", "n-fra"],
    revision: 4,
    created_at: at(-60 * 24 * 40),
    updated_at: moment,
    ...change,
  };
}

export function fakeCheck(change: Partial<Check> = {}): Check {
  return {
    key: "listener:n-msk:0.0.0.0:443/tcp",
    group: "listeners",
    node_id: "n-msk",
    summary: "443/tcp can be bound on msk-01",
    status: "confirmed",
    observed_at: at(1),
    evidence: "bound and released",
    finding: { code: "port_bound", text: change.evidence ?? "bound and released" },
    node_name: "msk-01",
    forceable: (change.status ?? "confirmed") !== "confirmed",
    blocks: false,
    ...change,
  };
}

export function fakePlan(change: Partial<Plan> = {}): Plan {
  const none: Plan["diff"] = {
    listeners: [],
    routes: [],
    clients: [],
    firewall: [],
    dns: [],
    cdn: [],
    proxypanel: [],
    other: [],
  };
  return {
    id: "p-17",
    flow_id: "f-europe",
    revision: 17,
    compiler_version: "1",
    hash: "9f2c",
    is_noop: false,
    created_at: at(1),
    created_by: "anna",
    expires_at: at(24 * 60),
    state: "ready",
    errors: [],
    warnings: [],
    conflicts: [],
    obstacles: [],
    readiness: [
      fakeCheck(),
      fakeCheck({ key: "firewall:n-msk:0.0.0.0:443/tcp", group: "firewall", evidence: "dialled from hel-01 in 31 ms" }),
      fakeCheck({ key: "listener:n-fra:0.0.0.0:21834/tcp", node_id: "n-fra" }),
      fakeCheck({
        key: "firewall:n-fra:0.0.0.0:21834/tcp",
        group: "firewall",
        node_id: "n-fra",
        status: "unconfirmed",
        evidence: "no answer in 5 s",
      }),
      fakeCheck({
        key: "target:n-msk:dl.example.org:443:dl.example.org",
        group: "target",
        status: "unconfirmed",
        evidence: "handshake timed out",
      }),
    ],
    steps: [
      {
        order: 1,
        node_id: "n-fra",
        node_name: "fra-02",
        role: "exit",
        action: "configure",
        interruption: "none",
        detail: "add the flow; nothing else on the node changes",
        detail_code: "adds",
      },
      {
        order: 2,
        node_id: "n-hel",
        node_name: "hel-01",
        role: "transit",
        action: "configure",
        interruption: "reload",
        detail: "change the flow's part",
        detail_code: "changes",
      },
      {
        order: 3,
        node_id: "n-msk",
        node_name: "msk-01",
        role: "entry",
        action: "configure",
        interruption: "reload",
        detail: "change the flow's part",
        detail_code: "changes",
      },
    ],
    diff: {
      ...none,
      listeners: [
        { op: "added", node_id: "n-fra", name: "exit-2", to: "port 21834, protocol shadowsocks2022, transport raw" },
        {
          op: "changed",
          node_id: "n-msk",
          name: "entry",
          field: "server names",
          from: "www.example.org",
          to: "dl.example.org",
        },
      ],
      routes: [
        {
          op: "changed",
          node_id: "n-hel",
          name: "transit to exit-3",
          field: "match",
          from: "port 25",
          to: "port 25,465",
        },
        { op: "removed", node_id: "n-msk", name: "entry to exit-4", from: "match domain example.com, to exit-4" },
      ],
      clients: [{ op: "added", node_id: "n-msk", name: "new tablet", to: "" }],
      firewall: [{ op: "added", node_id: "n-fra", name: "allow 21834/tcp", to: "from transit" }],
    },
    rendered: { "n-msk": "4be1", "n-hel": "77a0", "n-fra": "c0de" },
    ...change,
  };
}

const stage = (name: Stage["stage"], state: Stage["state"], second: number, length: number, detail = ""): Stage => ({
  stage: name,
  state,
  detail,
  text: { code: "", text: detail },
  started_at: state === "pending" ? null : new Date(Date.parse(moment) + second * 1000).toISOString(),
  finished_at:
    state === "done" || state === "failed"
      ? new Date(Date.parse(moment) + (second + length) * 1000).toISOString()
      : null,
});

export function fakeApply(change: Partial<Apply> = {}): Apply {
  const [exit, transit, entry] = fakePlan().steps as [Plan["steps"][0], Plan["steps"][0], Plan["steps"][0]];
  return {
    apply_id: "a-1",
    flow_id: "f-europe",
    kind: "apply",
    state: "applying",
    plan_id: "p-17",
    revision: 17,
    version_id: null,
    version_number: null,
    forced: true,
    bypassed_checks: [
      {
        key: "firewall:n-fra:0.0.0.0:21834/tcp",
        node_id: "n-fra",
        group: "firewall",
        status: "unconfirmed",
        finding: { code: "agent_silent", text: "the agent did not answer in time" },
        forceable: true,
      },
      {
        key: "target:n-msk:dl.example.org:443:dl.example.org",
        node_id: "n-msk",
        group: "target",
        status: "unconfirmed",
        finding: { code: "agent_silent", text: "the agent did not answer in time" },
        forceable: true,
      },
    ],
    steps: [
      {
        ...exit,
        state: "probing",
        error: null,
        stages: [
          stage("prepare", "done", 1, 1.2, "desired revision 17"),
          stage("test", "done", 3, 0.8, "core test: configuration OK"),
          stage("switch", "done", 5, 2.4, "listening on 21834/tcp"),
          stage("probe", "done", 8, 3.1, "dialled from hel-01 in 31 ms"),
          stage("commit", "pending", 0, 0),
        ],
      },
      {
        ...transit,
        state: "probing",
        error: null,
        stages: [
          stage("prepare", "done", 1, 0.9, "desired revision 17"),
          stage("test", "done", 3, 1.1, "core test: configuration OK"),
          stage("switch", "done", 12, 1.9, "reload in 38 ms, open connections finish on the old core"),
          stage("probe", "running", 16, 0, "tunnel to fra-02, 34 ms"),
          stage("commit", "pending", 0, 0),
        ],
      },
      {
        ...entry,
        state: "queued",
        error: null,
        stages: [
          stage("prepare", "done", 1, 1.4, "desired revision 17"),
          stage("test", "done", 3, 0.9, "core test: configuration OK"),
          stage("switch", "pending", 0, 0),
          stage("probe", "pending", 0, 0),
          stage("commit", "pending", 0, 0),
        ],
      },
    ],
    phase: "committing",
    text: { code: "committing", text: "the new configuration becomes the installed one" },
    stages: [],
    stopped_by: null,
    cdn: { state: "skipped", detail: "" },
    proxypanel: { state: "skipped", detail: "" },
    error: null,
    detail: "",
    started_by: "anna",
    started_at: moment,
    finished_at: null,
    ...change,
  };
}

export function fakeVersion(number: number, change: Partial<Version> = {}): Version {
  return {
    id: `v-${number}`,
    number,
    created_at: at(-60 * 24 * (19 - number)),
    created_by: number % 3 === 0 ? "oleg" : "anna",
    reason: "apply",
    note: "",
    plan_hash: `${number}`,
    revision: number - 1,
    applied: true,
    installed: number === 17,
    bypassed_checks: [],
    apply_id: null,
    ...change,
  };
}

export interface FakeState {
  flows: Flow[];
  draft: Draft;
  versions: VersionSnapshot[];
  plan: Plan;
  preview: Plan;
  apply: Apply;
  permissions: string[];
  license: { read_only: boolean; state: string; reason: string };
  /** Answers to give instead, by "METHOD path"; used up one by one. */
  refusals: Record<string, { status: number; body: Record<string, unknown> }[]>;
}

export function fakeState(change: Partial<FakeState> = {}): FakeState {
  const plan = fakePlan();
  const older: Drawing = {
    nodes: europe.nodes
      .filter((block) => block.key !== "exit-3")
      .map((block) =>
        block.key === "entry"
          ? {
              ...block,
              params: { listener: { ...block.params!.listener!, reality: { target: "www.example.org:443" } } },
            }
          : block,
      ),
    edges: europe.edges.filter((edge) => edge.to !== "exit-3"),
  };
  return {
    flows: [fakeFlow()],
    draft: { flow_id: "f-europe", revision: 17, graph: europe, problems: [], updated_at: moment, updated_by: "anna" },
    versions: [17, 16, 15, 14].map((number) => ({
      ...fakeVersion(
        number,
        number === 15 ? { bypassed_checks: fakeApply().bypassed_checks, note: "Vienna as fallback" } : {},
      ),
      graph: number === 17 ? older : { ...older, edges: older.edges.slice(0, number - 11) },
    })),
    plan,
    preview: { ...plan, id: "", state: "preview", readiness: [] },
    apply: fakeApply(),
    permissions: ["*"],
    license: { read_only: false, state: "active", reason: "" },
    refusals: {},
    ...change,
  };
}

export interface FakeAnswer {
  status: number;
  body?: unknown;
}

/** Answers one request and changes the state as the panel would. */
export function answerFake(
  state: FakeState,
  method: string,
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
): FakeAnswer {
  const path = new URL(url, "http://panel").pathname;
  const refusal = state.refusals[`${method} ${path}`]?.shift();
  if (refusal) return { status: refusal.status, body: { status: refusal.status, ...refusal.body } };
  const [, , , area, id = "", part = "", sub = ""] = path.split("/");
  if (area === "connection-units")
    return flowAnswer(state, method, id, [part, sub].filter(Boolean), body as Record<string, unknown>, headers);
  const simple: Record<string, unknown> = {
    "/api/v1/auth/me": {
      account: { id: "u-1", username: "anna", permissions: state.permissions },
      permissions: state.permissions,
    },
    "/api/v1/license/status": {
      ...state.license,
      plan: "Fleet 50",
      valid_until: null,
      grace_until: null,
      last_check: null,
      next_check_at: null,
      features: { enabled: ["flows"], blocked: [] },
      key_masked: null,
      instance_id: "i",
    },
    "/api/v1/nodes": { items: servers, next_cursor: null, total: servers.length },
    "/api/v1/node-domains": {
      items: [{ id: "d-1", node_id: "n-msk", hostname: "msk.example.net", dns_state: "ok", owner_id: "anna" }],
      next_cursor: null,
      total: 1,
    },
    "/api/v1/setup/state": { finished: true, needs_admin: false },
    "/health": { status: "ok", version: "1.14.2" },
  };
  return path in simple ? { status: 200, body: simple[path] } : missing();
}

function flowAnswer(
  state: FakeState,
  method: string,
  id: string,
  rest: string[],
  body: Record<string, unknown>,
  headers: Record<string, string>,
): FakeAnswer {
  if (id === "") return method === "POST" ? create(state, body) : page(state.flows);
  const flow = state.flows.find((item) => item.id === id);
  if (!flow) return missing();
  const replace = (change: Partial<Flow>) =>
    (state.flows = state.flows.map((item) =>
      item.id === id ? { ...item, ...change, revision: item.revision + 1 } : item,
    ));
  switch (`${method} ${rest.join("/")}`.trim()) {
    case "GET":
      return ok(flow);
    case "PATCH":
      replace(body as Partial<Flow>);
      return ok(state.flows.find((item) => item.id === id));
    case "DELETE":
      state.flows = state.flows.filter((item) => item.id !== id);
      return { status: 202, body: { ...state.apply, kind: "delete" } };
    case "GET draft":
      return ok({ ...state.draft, flow_id: id });
    case "PUT draft":
      return saveFake(state, id, body.graph as Drawing, Number(headers["if-match"] ?? body.revision));
    case "POST plan/preview":
      return ok({ ...state.preview, revision: state.draft.revision });
    case "POST plan/compile":
      state.plan = { ...state.plan, revision: state.draft.revision };
      return { status: 201, body: state.plan };
    case "POST apply":
      replace({ state: "applying", last_apply_id: state.apply.apply_id });
      return ok(state.apply);
    case "GET versions":
      return page(state.versions);
    case "POST versions": {
      const version = {
        ...fakeVersion(0, {
          id: `v-kept-${state.versions.length}`,
          number: 18 + state.versions.length,
          note: String(body.note ?? ""),
          reason: "manual",
          applied: false,
          revision: state.draft.revision,
        }),
        graph: state.draft.graph,
      };
      state.versions = [version, ...state.versions];
      return { status: 201, body: version };
    }
    case "GET clients":
      return page(flow.clients);
    case "POST clients": {
      const added = client(`c-${flow.clients.length + 1}`, String(body.label), { installed: false });
      replace({ clients: [...flow.clients, added] });
      return { status: 201, body: added };
    }
    case "POST connection-link":
      return ok({
        uri: `vless://7b1d2c2a-6a7e-4e0c-9a4b-2f1c4d5e6f70@msk.example.net:443?encryption=none&flow=xtls-rprx-vision&fp=chrome&pbk=Zx8n&security=reality&sid=6ba85179&sni=dl.example.org&type=tcp#Europe`,
        format: "vless",
        revision: flow.installed_revision,
        client_id: body.client_id,
      });
  }
  if (rest[0] === "plans") return rest[1] ? ok(state.plan) : missing();
  if (rest[0] === "applies") return ok(state.apply);
  if (rest[0] === "versions")
    return state.versions.some((item) => item.id === rest[1])
      ? ok(state.versions.find((item) => item.id === rest[1]))
      : missing();
  return missing();
}

function create(state: FakeState, body: Record<string, unknown>): FakeAnswer {
  const made = fakeFlow({
    id: `f-${state.flows.length + 1}`,
    name: String(body.name),
    state: "draft",
    installed_revision: null,
    installed_version_id: null,
    installed_version_number: null,
    installed_at: null,
    draft_revision: 1,
    node_ids: [],
  });
  state.flows = [...state.flows, made];
  state.draft = {
    flow_id: made.id,
    revision: 1,
    graph: (body.graph as Drawing) ?? { nodes: [], edges: [] },
    problems: [],
    updated_at: moment,
    updated_by: "anna",
  };
  return { status: 201, body: made };
}

function saveFake(state: FakeState, id: string, graph: Drawing, revision: number): FakeAnswer {
  if (revision !== state.draft.revision) return { status: 409, body: { status: 409, code: "revision_conflict" } };
  const next = revision + 1;
  state.draft = {
    ...state.draft,
    flow_id: id,
    revision: next,
    graph,
    problems: graph.nodes.some((block) => block.kind === "entry")
      ? []
      : [{ code: "no_entry", path: "nodes", message: "add an entry: the block that clients connect to" }],
  };
  state.flows = state.flows.map((flow) => (flow.id === id ? { ...flow, draft_revision: next } : flow));
  return ok(state.draft);
}

const ok = (body: unknown): FakeAnswer => ({ status: 200, body });
const page = (items: unknown[]): FakeAnswer => ok({ items, next_cursor: null, total: items.length });
const missing = (): FakeAnswer => ({ status: 404, body: { status: 404, code: "not_found" } });
