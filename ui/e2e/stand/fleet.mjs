// An invented fleet of forty nodes, the same on every run.
const ago = (seconds) => new Date(Date.now() - seconds * 1000).toISOString();

let seed = 7;
const chance = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
const id = (number) => `01890000-0000-7000-8000-${String(number).padStart(12, "0")}`;

const places = [
  ["Russia", "RU", [["msk", "Moscow", 5], ["spb", "Saint Petersburg", 2], ["ekb", "Yekaterinburg", 1], ["nsk", "Novosibirsk", 2]]],
  ["Nordics", "FI", [["hel", "Helsinki", 2], ["sto", "Stockholm", 2]]],
  ["Central Europe", "DE", [["fra", "Frankfurt", 5], ["waw", "Warsaw", 2], ["vie", "Vienna", 2]]],
  ["Western Europe", "NL", [["ams", "Amsterdam", 3], ["lon", "London", 3], ["par", "Paris", 3]]],
  ["Caucasus, Asia", "KZ", [["alm", "Almaty", 2], ["tbs", "Tbilisi", 1], ["ist", "Istanbul", 2]]],
  ["Overseas", "US", [["nyc", "New York", 2], ["tyo", "Tokyo", 1]]],
];

const states = {
  "waw-02": { state: "offline", link: "lost", seen: 14 * 60, reasons: ["agent_lost"] },
  "ams-01": { state: "degraded", cpu: 88, drift: true, reasons: ["config_behind"] },
  "ist-02": { state: "degraded", cpu: 71, reasons: ["core_stopped"] },
  "tbs-01": { state: "online", link: "stale", seen: 42 },
  "lon-03": { state: "maintenance", cpu: 4 },
  "par-02": { state: "online", failed: true },
};

function makeNode(name, city, region, country, number) {
  const special = states[name] ?? {};
  const connected = !["lost", "stale"].includes(special.link ?? "connected");
  const seen = special.seen ?? 3;
  const cpu = special.cpu ?? 15 + Math.round(chance() * 45);
  const desired = 17;
  const installed = special.drift || special.failed ? 16 : 17;
  return {
    id: id(number), name, address: `203.0.113.${number + 10}`, ips: [], country_code: country, region, city, provider_id: null, provider_server_ref: "",
    roles: ["exit"], tags: [region === "Russia" ? "entry" : chance() > 0.8 ? "transit" : "exit"], note: "", state: special.state ?? "online", reasons: special.reasons ?? [], maintenance: special.state === "maintenance" ? { until: null, reason: "disk" } : null,
    agent: { link: special.link ?? "connected", connected, version: chance() > 0.8 ? "1.8.1" : "1.8.2", protocol: 3, os: "Debian 12", arch: "amd64", hostname: name, last_seen_at: ago(seen), enrolled_at: ago(41 * 86400), token_id: id(900 + number), clock_skew_ms: 200, update_state: chance() > 0.8 ? "available" : "current", capabilities: [], previous_valid_until: null },
    core: { kind: "Xray", version: "26.3.27", state: special.reasons?.includes("core_stopped") ? "stopped" : connected ? "running" : "unknown", error: "", uptime_s: 194400, restarts: 0, config_revision_desired: desired, config_revision_installed: installed, config_hash: "b7e0aa31c912fa5512fa", in_sync: installed === desired, last_result: special.failed ? { revision: desired, ok: false, stage: "test", error: "unknown transport", stderr_tail: "", at: ago(3600) } : null },
    metrics: { cpu_pct: cpu, load1: cpu / 30, mem_used: 4.5e9, mem_total: 7.8e9, disk_used: 21e9, disk_total: 80e9, net_rx_bps: chance() * 3e9, net_tx_bps: chance() * 3e9, rx_pps: 1000, tcp_established: Math.round(200 + chance() * 1200), conntrack_count: 10, conntrack_max: 1000, syncookies_ps: 0, listen_drops_ps: 0, uptime_s: 41 * 86400, observed_at: ago(seen) },
    traffic: { limit_bytes: 0, used_bytes: 0, reset_day: 1, notify_pct: 80 }, created_at: ago(41 * 86400), updated_at: ago(86400), revision: 3,
  };
}

let number = 0;
export const nodes = places.flatMap(([region, country, cities]) => cities.flatMap(([prefix, city, count]) => Array.from({ length: count }, (_, index) => makeNode(`${prefix}-0${index + 1}`, city, region, country, (number += 1)))));

export function summary() {
  const counts = {};
  nodes.forEach((node) => (counts[node.state] = (counts[node.state] ?? 0) + 1));
  return { total: nodes.length, states: counts, drift: 2 };
}

export function series(metric, from, to) {
  const [start, end] = [Date.parse(from), Date.parse(to)];
  const step = Math.max(15, Math.ceil((end - start) / 240000 / 15) * 15);
  const scale = { net_rx_bps: 2.9e9, net_tx_bps: 2.8e9, tcp_established: 1400, cpu_pct: 42, mem_used: 4.5e9, load1: 1.6 }[metric] ?? 100;
  const points = [];
  for (let at = Math.ceil(start / 1000 / step) * step; at <= end / 1000; at += step) {
    const phase = (at - start / 1000) / ((end - start) / 1000);
    if (metric === "load1" && phase > 0.42 && phase < 0.47) continue;
    points.push({ at: new Date(at * 1000).toISOString(), value: scale * (0.8 + 0.25 * Math.sin(phase * 5 + metric.length) + 0.05 * chance()) });
  }
  return { metric, step_seconds: step, points };
}
