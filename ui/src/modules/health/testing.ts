import { serveUnder } from "@/testing/serve";
import type { Incident, IncidentDetail } from "./incidents/api";
import type { Policy } from "./shared/policies";
import type { DryRun, RepairAction } from "./repairs/api";
import type { CheckCell, Evidence, Subject, SubjectDetail, Summary } from "./shared/api";
import type { Day } from "./shared/days";

export const serve = serveUnder("/api/v1/health");
export { pageOf } from "@/testing/serve";

/** How long ago, as a moment. */
export const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();

export const nodeId = "01890000-0000-7000-8000-000000000001";

/** One layer that all four places see well. */
export function makeCell(change: Partial<CheckCell> = {}): CheckCell {
  return {
    check: "tcp",
    state: "up",
    reason: "",
    up: 4,
    down: 0,
    unknown: 0,
    latency_ms: 21.4,
    checked_at: ago(9),
    ...change,
  };
}

export function makeDay(change: Partial<Day> = {}): Day {
  return { day: "2026-03-10", state: "up", up_pct: 100, down_s: 0, degraded_s: 0, ...change };
}

/** A node that is well. */
export function makeSubject(change: Partial<Subject> = {}): Subject {
  return {
    kind: "node",
    id: nodeId,
    name: "fra-02",
    state: "up",
    reason: "",
    hint: "",
    since: ago(86_400 * 3),
    checked_at: ago(9),
    maintenance: false,
    flapping: false,
    checks: [makeCell({ check: "heartbeat", latency_ms: null }), makeCell()],
    days: [makeDay()],
    ...change,
  };
}

/** What the panel sees well. */
export function makeEvidence(change: Partial<Evidence> = {}): Evidence {
  return {
    check: "tcp",
    target: "203.0.113.7:443",
    vantage: { kind: "panel", name: "" },
    state: "up",
    stale: false,
    ok: true,
    reason: "",
    latency_ms: 21.4,
    failures: 0,
    at: ago(9),
    since: ago(900),
    ...change,
  };
}

/** A node that three agents cannot reach and the panel can. */
export function makeDetail(change: Partial<SubjectDetail> = {}): SubjectDetail {
  const lost = (name: string) =>
    makeEvidence({
      vantage: { kind: "agent", node_id: `id of ${name}`, name },
      state: "down",
      ok: false,
      reason: "timeout",
      error: "i/o timeout",
      latency_ms: null,
      failures: 4,
    });
  return {
    ...makeSubject({ state: "degraded", reason: "partly_unreachable", hint: "route", since: ago(840) }),
    policy_id: "01890000-0000-7000-8000-0000000000a1",
    policy_name: "Everything",
    quorum: 2,
    evidence: [makeEvidence(), lost("ams-01"), lost("waw-01"), lost("sto-01")],
    ...change,
  };
}

export function makeSummary(change: Partial<Summary> = {}): Summary {
  const counts = { total: 12, up: 10, degraded: 1, down: 1, unknown: 0, maintenance: 1 };
  return {
    nodes: counts,
    connection_units: counts,
    watchers: { able: 11, lacking: 0, checks: 40, pairs: 150 },
    checked_at: ago(5),
    late_s: 0.2,
    panel_cut_off: false,
    ...change,
  };
}

/** The policy of everything else. */
export function makePolicy(change: Partial<Policy> = {}): Policy {
  return {
    id: "01890000-0000-7000-8000-0000000000a1",
    name: "Everything",
    default: true,
    enabled: true,
    scope: { kind: "all" },
    scope_name: "",
    checks: [{ type: "heartbeat" }, { type: "core" }, { type: "tcp", interval_s: 30, timeout_s: 5 }],
    vantages: { panel: true, agents: 3 },
    quorum: 2,
    failure_threshold: 3,
    success_threshold: 2,
    recheck: { count: 3, every_s: 5 },
    flap: { max_changes: 6, window_s: 600 },
    repair: { mode: "suggest", actions: ["restart_core"], limits: { max_actions_per_hour: 10, cooldown_s: 300 } },
    maintenance_windows: [],
    nodes: 12,
    connection_units: 5,
    revision: 4,
    created_at: ago(9_000),
    updated_at: ago(9_000),
    ...change,
  };
}

/** A node that nobody reaches. */
export function makeIncident(change: Partial<Incident> = {}): Incident {
  return {
    id: "01890000-0000-7000-8000-0000000000b1",
    kind: "node",
    subject_id: nodeId,
    subject_name: "fra-02",
    severity: "critical",
    state: "open",
    root_cause_hint: "unreachable",
    nodes: 1,
    connection_units: 0,
    suffering: 1,
    suffering_ids: [nodeId],
    began_at: ago(900),
    opened_at: ago(840),
    acknowledged_at: null,
    acknowledged_by: "",
    mitigated_at: null,
    resolved_at: null,
    resolved_by: "",
    reopened: 0,
    ...change,
  };
}

/** A node and its flow, of which the flow is well again. */
export function makeIncidentDetail(change: Partial<IncidentDetail> = {}): IncidentDetail {
  const entry = { kind: "node" as const, id: nodeId, name: "fra-02", state: "down", reason: "unreachable", hint: "" };
  return {
    ...makeIncident({ connection_units: 1 }),
    subjects: [
      {
        kind: "node",
        id: nodeId,
        name: "fra-02",
        state: "down",
        reason: "unreachable",
        hint: "unreachable",
        since: ago(840),
        left_at: null,
        evidence: [
          {
            check: "tcp",
            vantage: "00000000-0000-0000-0000-000000000000",
            vantage_kind: "panel",
            vantage_name: "",
            state: "down",
            reason: "timeout",
            at: ago(841),
            latency_ms: null,
          },
        ],
      },
      {
        kind: "connection_unit",
        id: "01890000-0000-7000-8000-0000000000c1",
        name: "Europe",
        state: "down",
        reason: "node_down",
        hint: "node",
        since: ago(800),
        left_at: ago(60),
        evidence: [],
      },
    ],
    entries: [
      { ...entry, at: ago(840), what: "opened", actor: "", note: "" },
      { ...entry, at: ago(700), what: "acknowledged", actor: "olga", note: "calling the hoster" },
    ],
    actions: [],
    ...change,
  };
}

/** A restart of a failed core that waits for a person. */
export function makeRepair(change: Partial<RepairAction> = {}): RepairAction {
  return {
    id: "01890000-0000-7000-8000-0000000000d1",
    action: "restart_core",
    node_id: nodeId,
    node_name: "fra-02",
    policy_id: "01890000-0000-7000-8000-0000000000a1",
    policy_name: "Edge",
    incident_id: "01890000-0000-7000-8000-0000000000b1",
    state: "proposed",
    reason: "",
    error: "",
    outcome: "",
    approved_by: "",
    dismissed_by: "",
    evidence: {
      state: "down",
      since: ago(90),
      hint: "core_failed",
      checks: [makeCell({ check: "core", state: "down", reason: "core_failed", up: 0, down: 1, latency_ms: null })],
    },
    effects: [],
    undoable: false,
    undone_at: null,
    undone_by: "",
    created_at: ago(60),
    started_at: null,
    finished_at: null,
    ...change,
  };
}

/** A week in which there was nothing to do. */
export function makeRun(change: Partial<DryRun> = {}): DryRun {
  return { days: 7, cases: 0, actions: 0, spared: 0, nodes: 0, items: [], ...change };
}
