import type { LicenseStatus, Me } from "@/api/access";
import type { components } from "@/api/schema.gen";

const at = "2026-03-11T12:00:00Z";

/** An active license; a test changes what it is about. */
export function makeLicense(change: Partial<LicenseStatus> = {}): LicenseStatus {
  return {
    state: "active",
    reason: "ok",
    read_only: false,
    plan: "Fleet 50",
    valid_until: "2026-09-30T00:00:00Z",
    grace_until: null,
    last_check: { at, ok: true, error: null },
    next_check_at: "2026-03-11T20:00:00Z",
    features: { enabled: ["flows"], blocked: ["abuse"] },
    key_masked: "PNL-••••-••••-91CD",
    instance_id: "01890000-0000-7000-8000-000000000001",
    ...change,
  };
}

/** Who is signed in, with these permissions. */
export function makeMe(permissions: string[]): Me {
  const id = "01890000-0000-7000-8000-000000000003";
  return {
    account: {
      id,
      username: "anna",
      permissions,
      state: "active",
      created_at: at,
      last_login_at: at,
      last_login_ip: "203.0.113.7",
      totp_enabled: false,
      passkeys: 0,
      must_change_password: false,
      language: "",
      revision: 1,
    },
    permissions,
    session: { id, created_at: at, last_seen_at: at, expires_at: at, ip: "203.0.113.7", user_agent: "", current: true },
  };
}

type Node = components["schemas"]["NodesDetail"];

/** A healthy node in sync; a test changes what it is about. */
export function makeNode(change: Partial<Node> = {}): Node {
  return {
    id: "01890000-0000-7000-8000-000000000002",
    name: "fra-02",
    address: "203.0.113.52",
    ips: [],
    place: { country: "DE", asn: 64500, network: "Example Hosting" },
    country_code: "DE",
    region: "Central Europe",
    city: "Frankfurt",
    provider_id: null,
    provider_server_ref: "",
    roles: ["exit"],
    tags: ["exit"],
    note: "",
    state: "online",
    state_since: at,
    reasons: [],
    maintenance: { until: null, reason: "" },
    agent: {
      link: "connected",
      connected: true,
      version: "1.8.2",
      protocol: 3,
      os: "linux",
      arch: "amd64",
      hostname: "fra-02",
      panel_url: "https://panel.example",
      last_seen_at: at,
      enrolled_at: at,
      token_id: null,
      clock_skew_ms: 200,
      update_state: "current",
      capabilities: [],
      previous_valid_until: null,
    },
    core: {
      kind: "xray",
      version: "26.3.27",
      state: "running",
      error: "",
      uptime_s: 3600,
      restarts: 0,
      config_revision_desired: 17,
      config_revision_installed: 17,
      config_hash: "b7e0aa31c912fa5512fa",
      in_sync: true,
      last_result: { revision: 17, ok: true, stage: "done", error: "", stderr_tail: "", at },
    },
    metrics: {
      cpu_pct: 41,
      load1: 1.2,
      mem_used: 4_000_000_000,
      mem_total: 8_000_000_000,
      disk_used: 1,
      disk_total: 2,
      net_rx_bps: 1_000_000,
      net_tx_bps: 2_000_000,
      rx_pps: 0,
      sessions: null,
      tcp_established: 12,
      conntrack_count: 0,
      conntrack_max: 0,
      syncookies_ps: 0,
      listen_drops_ps: 0,
      uptime_s: 7200,
      observed_at: at,
    },
    created_at: at,
    updated_at: at,
    revision: 3,
    sockets: [],
    addresses: [],
    firewall: [],
    flow_ids: [],
    listeners: [],
    traffic: {
      limit_bytes: null,
      reset_day: 1,
      notify_pct: 80,
      used_up: 0,
      used_down: 0,
      used_bytes: 0,
      since: null,
      resets_at: at,
    },
    ...change,
  };
}
