import type { Apply, Draft, NodeDrift, Plan, Replay, VersionSnapshot } from "../shared/api";
import type { BulkApply } from "../shared/bulk-api";
import type { CustomPlan } from "../shared/custom-plans";
import type { Redraw } from "../shared/redraw-api";
import type { Drawing } from "../drawing/drawing";
import { europe, moment, servers } from "./places";
import {
  fakeApply,
  fakeBulk,
  fakeClient,
  fakeDrift,
  fakeFlow,
  fakePlan,
  fakeReplay,
  fakeTraffic,
  fakeVersion,
} from "./samples";
import { fakeRedraw } from "./redraw-sample";
import type { FakeFlow } from "./samples";

/**
 * A panel for tests and pictures: flows in memory behind the same paths, with the revisions and refusals of the real
 * one.
 */

export interface FakeState {
  flows: FakeFlow[];
  draft: Draft;
  versions: VersionSnapshot[];
  plan: Plan;
  preview: Plan;
  apply: Apply;
  replay: Replay;
  drift: NodeDrift;
  bulk: BulkApply;
  redraw: Redraw;
  /** What rules over the flows: all policies are obeyed by each of them. */
  policies: { id: string; name: string; kind: string }[];
  customPlans: CustomPlan[];
  sets: string[];
  /** Connections with proxy panels, with the squads there. */
  proxyPanels: { id: string; label: string; squads: { id: string; name: string; gone_at: string | null }[] }[];
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
    replay: fakeReplay(),
    drift: fakeDrift(),
    bulk: fakeBulk([{ id: "f-europe", name: "Europe main" }]),
    redraw: fakeRedraw([{ id: "f-europe", name: "Europe main" }]),
    policies: [],
    customPlans: [],
    proxyPanels: [],
    sets: [],
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

/** A page of the clients of a flow; the cursor is how many came before. */
function clientsOf(state: FakeState, id: string, url: string): FakeAnswer {
  const asked = new URL(url, "http://panel").searchParams;
  const part = (asked.get("q") ?? "").toLowerCase();
  const found = (state.flows.find((flow) => flow.id === id)?.clients ?? []).filter((client) =>
    client.label.toLowerCase().includes(part),
  );
  const from = Number(asked.get("cursor") ?? 0);
  const to = from + Number(asked.get("limit") ?? 50);
  return ok({
    items: found.slice(from, to),
    next_cursor: to < found.length ? String(to) : null,
    total: found.length,
  });
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
  const [, , , area, id = "", ...parts] = path.split("/");
  if (path === "/api/v1/connection-units/clients") return page([]);
  if (area === "connection-units" && method === "GET" && parts.join("/") === "clients")
    return clientsOf(state, id, url);
  if (path === "/api/v1/connection-units" && method === "GET") return page(listed(state, url));
  if (path === "/api/v1/connection-units/traffic") return ok(fakeLoads(state, url));
  if (area === "connection-units")
    return flowAnswer(state, method, id, parts, body as Record<string, unknown>, headers);
  if (path === "/api/v1/proxypanel/connections") return page(state.proxyPanels);
  const squadsOf = /^\/api\/v1\/proxypanel\/connections\/([^/]+)\/squads$/.exec(path)?.[1];
  if (squadsOf) return page(state.proxyPanels.find((one) => one.id === squadsOf)?.squads ?? []);
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
    "/api/v1/policies": { items: state.policies, next_cursor: null, total: state.policies.length },
    "/api/v1/custom-plans": { items: state.customPlans, next_cursor: null, total: state.customPlans.length },
    "/api/v1/policy-catalogue": { version: 1, newest: 1, sets: state.sets.map((name) => ({ name })) },
    "/api/v1/setup/state": { finished: true, needs_admin: false },
    "/health": { status: "ok", version: "1.14.2" },
  };
  const node = area === "nodes" ? servers.find((server) => server.id === id) : undefined;
  if (node) return ok({ ...node, agent: { connected: node.state === "online" }, metrics: { tcp_established: 12 } });
  if (path === "/api/v1/node-domains" && method === "POST") {
    const { zone, label = "lon", node_id } = body as Record<string, string>;
    return { status: 201, body: { ...fakeDomain, id: "d-new", node_id, zone, hostname: `${label}.${zone}` } };
  }
  if (path === "/api/v1/node-domains") {
    const asked = new URL(url, "http://panel").searchParams;
    const [q, owner] = [asked.get("q") ?? "", asked.get("owner") ?? fakeDomain.owner_id];
    return page([fakeDomain].filter((domain) => domain.hostname.includes(q) && domain.owner_id === owner));
  }
  if (path === `/api/v1/node-domains/${fakeDomain.id}`) return ok(fakeDomain);
  if (path === "/api/v1/nodes/brief") {
    const asked = new URL(url, "http://panel").searchParams;
    const [ids, q] = [asked.get("ids")?.split(","), asked.get("q") ?? ""];
    return ok({ nodes: servers.filter((server) => (ids ? ids.includes(server.id) : server.name.includes(q))) });
  }
  return path in simple ? { status: 200, body: simple[path] } : missing();
}

/** The flows that a list asks for: by a part of their name, or by a node. */
function listed({ flows }: FakeState, url: string): FakeFlow[] {
  const asked = new URL(url, "http://panel").searchParams;
  const [q, node] = [asked.get("q")?.toLowerCase() ?? "", asked.get("node_id")];
  return flows.filter((flow) => flow.name.toLowerCase().includes(q) && (!node || flow.node_ids.includes(node)));
}

function fakeLoads({ flows }: FakeState, url: string) {
  const asked = new URL(url, "http://panel").searchParams.get("ids")?.split(",") ?? [];
  const { at, stale_after_s, sessions, up_bps, down_bps } = fakeTraffic();
  const items = flows.filter(({ id }) => asked.includes(id)).map(({ id }) => ({ id, sessions, up_bps, down_bps }));
  return { at, stale_after_s, items };
}

function flowAnswer(
  state: FakeState,
  method: string,
  id: string,
  rest: string[],
  body: Record<string, unknown>,
  headers: Record<string, string>,
): FakeAnswer {
  if (id === "") return create(state, body);
  if (id === "bulk" && rest[0] !== "apply") return redrawAnswer(state, method, body);
  if (id === "bulk") return method === "POST" ? beginBulk(state, body) : ok(state.bulk);
  const flow = state.flows.find((item) => item.id === id);
  if (!flow) return missing();
  const replace = (change: Partial<FakeFlow>) =>
    (state.flows = state.flows.map((item) =>
      item.id === id ? fakeFlow({ ...item, ...change, revision: item.revision + 1 }) : item,
    ));
  switch (`${method} ${rest.join("/")}`.trim()) {
    case "GET":
      return ok(flow);
    case "PATCH":
      replace(body as Partial<FakeFlow>);
      return ok(state.flows.find((item) => item.id === id));
    case "DELETE":
      state.flows = state.flows.filter((item) => item.id !== id);
      return { status: 202, body: { ...state.apply, kind: "delete" } };
    case "POST disable":
    case "POST enable":
      return { status: 202, body: { ...state.apply, flow_id: id, kind: rest[0] } };
    case "GET traffic":
      return ok(fakeTraffic());
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
    case "POST clients": {
      const added = fakeClient(`c-${flow.clients.length + 1}`, String(body.label), { installed: false });
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
  if (rest[0] === "nodes" && rest[2] === "drift") return ok(state.drift);
  if (rest[0] === "nodes" && rest[2] === "restore")
    return { status: 202, body: { ...state.apply, flow_id: id, kind: "restore" } };
  if (rest[0] === "plans") return rest[1] ? ok(state.plan) : missing();
  if (rest[0] === "applies" && rest[2] === "stop") {
    state.apply = { ...state.apply, stopped_by: "anna", phase: "reverting" };
    return { status: 202, body: state.apply };
  }
  if (rest[0] === "applies") return ok(rest[2] === "replay" ? state.replay : state.apply);
  if (rest[0] === "versions" && method === "PATCH") {
    state.versions = state.versions.map((item) => (item.id === rest[1] ? { ...item, ...body } : item));
    return ok(state.versions.find((item) => item.id === rest[1]));
  }
  if (rest[0] === "versions")
    return state.versions.some((item) => item.id === rest[1])
      ? ok(state.versions.find((item) => item.id === rest[1]))
      : missing();
  return missing();
}

/** A dry run tells what it would do; what is begun has ended at the next look. */
function redrawAnswer(state: FakeState, method: string, body: Record<string, unknown>): FakeAnswer {
  if (method === "POST") return { status: body.dry_run ? 200 : 202, body: state.redraw };
  const items = state.redraw.items.map((item) => (item.state === "waiting" ? { ...item, state: "changed" } : item));
  return ok({ ...state.redraw, items, finished_at: state.redraw.started_at });
}

function beginBulk(state: FakeState, body: Record<string, unknown>): FakeAnswer {
  const wanted = body.items as { flow_id: string }[];
  state.bulk = fakeBulk(state.flows.filter(({ id }) => wanted.some(({ flow_id }) => flow_id === id)));
  return { status: 202, body: state.bulk };
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

const fakeDomain = {
  id: "d-1",
  node_id: "n-msk",
  hostname: "msk.example.net",
  zone: "example.net",
  dns_state: "ok",
  owner_id: "anna",
};

const ok = (body: unknown): FakeAnswer => ({ status: 200, body });
const page = (items: unknown[]): FakeAnswer => ok({ items, next_cursor: null, total: items.length });
const missing = (): FakeAnswer => ({ status: 404, body: { status: 404, code: "not_found" } });
