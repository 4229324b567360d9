import type { Security } from "./api";

/** A panel whose settings are all in order, for tests. */
export function makeSecurity(change: Partial<Security> = {}): Security {
  return {
    public_url: { variable: "PANEL_PUBLIC_URL", given: true, origin: "https://panel.example.net", https: true },
    trusted_proxies: { variable: "PANEL_TRUSTED_PROXIES", given: true, list: ["10.0.0.1"], ignored: false },
    session: { variable: "PANEL_SESSION_TTL_HOURS", given: false, idle_seconds: 43_200, absolute_seconds: 604_800 },
    sign_in: { free_failures: 5, free_address_failures: 30, longest_delay_seconds: 900 },
    password: { algorithm: "argon2id", memory_kib: 19_456, iterations: 2, lanes: 1 },
    master_key: {
      variable: "PANEL_SECRET_KEY",
      source: "environment",
      previous_variable: "PANEL_SECRET_KEY_PREVIOUS",
      previous_given: false,
      previous_secrets: 0,
      readable: true,
    },
    journal: { variable: "PANEL_AUDIT_RETENTION_DAYS", given: false, days: 365 },
    ...change,
  };
}
