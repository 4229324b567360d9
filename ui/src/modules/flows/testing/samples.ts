import type {
  Apply,
  ApplyStep,
  Check,
  Client,
  Flow,
  NodeDrift,
  Plan,
  Replay,
  Stage,
  Traffic,
  Version,
} from "../shared/api";
import type { BulkApply } from "../shared/bulk-api";
import { at, europe, moment } from "./places";

/** Flows, plans and applies as the panel answers them; a test changes what it is about. */

export function fakeTraffic(): Traffic {
  const observed_at = new Date().toISOString();
  return {
    at: observed_at,
    stale_after_s: 30,
    entries: [{ block: "entry", node_id: "n-msk", sessions: 14, up_bps: 2_400_000, down_bps: 31_000_000, observed_at }],
    edges: [],
    sessions: 14,
    up_bps: 2_400_000,
    down_bps: 31_000_000,
  };
}

export const fakeClient = (id: string, label: string, change: Partial<Client> = {}): Client => ({
  id,
  label,
  state: "active",
  has_secret: true,
  has_public_link: false,
  installed: true,
  by_apply: true,
  elsewhere: false,
  created_at: at(-60 * 24 * 20),
  revoked_at: null,
  ...change,
});

/** A flow with the clients that the panel has pages of. */
export type FakeFlow = Flow & { clients: Client[] };

/** Counts clients as the panel does. */
export const countClients = (clients: readonly Client[]): Flow["client_counts"] => ({
  total: clients.filter((client) => client.state !== "revoked").length,
  active: clients.filter((client) => client.state === "active").length,
  waiting: clients.filter((client) => client.by_apply && client.installed === (client.state !== "active")).length,
});

export function fakeFlow(change: Partial<Omit<FakeFlow, "client_counts">> = {}): FakeFlow {
  const flow = {
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
      fakeClient("c-1", "anna, phone", { has_public_link: true }),
      fakeClient("c-2", "oleg, laptop"),
      fakeClient("c-3", "new tablet", { installed: false }),
    ],
    draft_revision: 17,
    draft_changes: null,
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
  } satisfies Omit<FakeFlow, "client_counts">;
  return { ...flow, client_counts: countClients(flow.clients) };
}

/** A node that still listens on the port of the version before. */
export function fakeDrift(change: Partial<NodeDrift> = {}): NodeDrift {
  return {
    node_id: "n-msk",
    node_name: "msk-01",
    state: "drifted",
    online: true,
    version_number: 17,
    running_revision: 41,
    wanted_revision: 42,
    known: true,
    part_same: false,
    rest_same: true,
    diff: {
      listeners: [
        { op: "changed", node_id: "n-msk", name: "entry", field: "listen", from: "0.0.0.0:443", to: "0.0.0.0:8443" },
      ],
      routes: [],
      clients: [],
      firewall: [],
      dns: [],
      cdn: [],
      proxypanel: [],
      other: [],
    },
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
    node_name: change.node_id === "n-fra" ? "fra-02" : "msk-01",
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
    catalogue_version: 0,
    geo: [],
    compiler_version: "1",
    hash: "9f2c",
    is_noop: false,
    canary: null,
    created_at: at(1),
    created_by: "anna",
    expires_at: at(24 * 60),
    state: "ready",
    checking: false,
    errors: [],
    warnings: [],
    conflicts: [],
    sharing: [],
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
        evidence: "the agent did not answer in time",
        finding: { code: "agent_silent", text: "the agent did not answer in time" },
      }),
      fakeCheck({
        key: "target:n-msk:dl.example.org:443:dl.example.org",
        group: "target",
        status: "unconfirmed",
        evidence: "the node could not reach the target",
        finding: {
          code: "target_unreachable",
          text: "the node could not reach the target",
          params: { reason: "refused" },
        },
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
        node_name: "fra-02",
        group: "firewall",
        status: "unconfirmed",
        finding: { code: "agent_silent", text: "the agent did not answer in time" },
        forceable: true,
      },
      {
        key: "target:n-msk:dl.example.org:443:dl.example.org",
        node_id: "n-msk",
        node_name: "msk-01",
        group: "target",
        status: "unconfirmed",
        finding: { code: "agent_silent", text: "the agent did not answer in time" },
        forceable: true,
      },
    ],
    steps: [
      {
        ...exit,
        canary: false,
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
        canary: false,
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
        canary: false,
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
    canary: null,
    promoted_by: null,
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

/** An apply of half a minute that one node has failed in, so that the one before it went back. */
export function fakeEndedApply(): Apply {
  const [exit, transit, entry] = fakeApply().steps as [ApplyStep, ApplyStep, ApplyStep];
  const error = { code: "start_failed", message: "listen 443: in use", output: "core: bind failed" };
  return fakeApply({
    state: "apply_failed",
    phase: "apply_failed",
    finished_at: new Date(Date.parse(moment) + 24_000).toISOString(),
    error: { ...error, node_id: transit.node_id, node_name: transit.node_name },
    steps: [
      { ...exit, state: "reverted", stages: [...exit.stages, stage("revert", "done", 18, 4)] },
      {
        ...transit,
        state: "failed",
        error,
        stages: [...transit.stages.slice(0, 2), stage("switch", "failed", 12, 5, error.message)],
      },
      entry,
    ],
  });
}

/** Sessions on the entry of `fakeApply`: 412 before, 38 in the middle, nearly all back at its end. */
export function fakeReplay(change: Partial<Replay> = {}): Replay {
  const open: [second: number, value: number][] = [
    [-60, 398],
    [-30, 412],
    [0, 405],
    [15, 38],
    [30, 240],
    [45, 396],
  ];
  return {
    graph: europe,
    from: new Date(Date.parse(moment) - 300_000).toISOString(),
    to: new Date(Date.parse(moment) + 624_000).toISOString(),
    step_seconds: 15,
    nodes: [
      {
        node_id: "n-msk",
        sessions: open.map(([second, value]) => ({
          at: new Date(Date.parse(moment) + second * 1000).toISOString(),
          value,
        })),
      },
    ],
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
    pinned: false,
    plan_hash: `${number}`,
    revision: number - 1,
    applied: true,
    installed: number === 17,
    bypassed_checks: [],
    apply_id: null,
    ...change,
  };
}

/** A bulk apply whose first flow is being applied. */
export function fakeBulk(flows: { id: string; name: string }[], change: Partial<BulkApply> = {}): BulkApply {
  return {
    id: "b-1",
    operation_id: "o-1",
    stop_on_failure: true,
    items: flows.map(({ id, name }, at) => ({
      flow_id: id,
      flow_name: name,
      id: `p-${id}`,
      revision: 17,
      state: at === 0 ? "applying" : "waiting",
      apply_id: at === 0 ? "a-1" : null,
      code: "",
      error: "",
    })),
    started_by: "anna",
    started_at: moment,
    finished_at: null,
    ...change,
  };
}
