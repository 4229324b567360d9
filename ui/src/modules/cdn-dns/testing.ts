import { serveUnder } from "@/testing/serve";
import type { Binding } from "./bindings/api";
import type { Budget, Certificate } from "./certificates/api";
import type { DNSSetupResult, Integration, ProviderField, ProviderKind } from "./integrations/api";

const at = "2026-03-11T12:00:00Z";

export const integrationId = "01890000-0000-7000-8000-0000000000c1";

export function makeIntegration(change: Partial<Integration> = {}): Integration {
  return {
    id: integrationId,
    provider: "cloudflare",
    label: "Main",
    fields: {},
    zones: [{ id: "z1", name: "example.com" }],
    has_token: true,
    permissions_checked: { zone_read: true, dns_edit: true },
    last_verified_at: at,
    last_error: "",
    created_at: at,
    updated_at: at,
    revision: 3,
    ...change,
  };
}

function field(name: string, form: ProviderField["form"], change: Partial<ProviderField> = {}): ProviderField {
  return { name, form, required: true, default: "", choices: [], help: "", ...change };
}

export const providers: ProviderKind[] = [
  {
    name: "cloudflare",
    title: "Cloudflare",
    cdn: false,
    fields: [field("api_token", "secret"), field("zone_id", "text", { required: false })],
  },
  {
    name: "rfc2136",
    title: "RFC 2136",
    cdn: false,
    fields: [
      field("server", "text"),
      field("key_algorithm", "choice", {
        required: false,
        default: "hmac-sha256",
        choices: ["hmac-sha256", "hmac-sha512"],
      }),
      field("key_secret", "secret"),
    ],
  },
  {
    name: "yandex",
    title: "Yandex Cloud CDN",
    cdn: true,
    fields: [field("folder_id", "text"), field("service_account_key", "key")],
  },
];

export const record = { type: "A", name: "panel.example.com", value: "192.0.2.10" };

export function makeResult(change: Partial<DNSSetupResult> = {}): DNSSetupResult {
  return { root_domain: "example.com", created: [record], existing: [], ...change };
}

const day = 86_400_000;
export const inDays = (days: number) => new Date(Date.now() + days * day).toISOString();

export const certificateId = "01890000-0000-7000-8000-0000000000d1";

/** A wildcard of 90 days that the panel has ordered, with these days left. */
export function makeCertificate(change: Partial<Certificate> = {}, left = 60.5): Certificate {
  return {
    id: certificateId,
    names: ["*.example.com", "example.com"],
    source: "authority",
    state: "valid",
    issuer: "R11",
    serial: "04ab",
    fingerprint: "5f".repeat(32),
    challenge: "dns-01",
    not_before: inDays(left - 90),
    not_after: inDays(left),
    renew_at: inDays(left - 30),
    last_error: "",
    retry_at: null,
    created_at: at,
    ...change,
  };
}

export const bindingId = "01890000-0000-7000-8000-0000000000e1";

export function makeBinding(change: Partial<Binding> = {}): Binding {
  const { issuer, challenge, not_after } = makeCertificate();
  return {
    id: bindingId,
    node_id: "01890000-0000-7000-8000-000000000002",
    moving_to: null,
    zone_id: null,
    zone: "example.com",
    hostname: "fra-02.example.com",
    mode: "direct",
    record: { type: "A", ttl: 300, proxied: false },
    dns_state: "ok",
    resolved_ips: ["203.0.113.52"],
    certificate: { state: "valid", issuer, challenge, not_after, last_error: "" },
    cdn: {
      integration_id: null,
      kind: "",
      resource_id: "",
      cname: "",
      origin_host: "",
      origin_port: 0,
      state: "absent",
    },
    used_by_flows: ["01890000-0000-7000-8000-0000000000f1"],
    owner_id: "01890000-0000-7000-8000-000000000003",
    created_at: at,
    updated_at: at,
    revision: 1,
    ...change,
  };
}

export function makeBudget(change: Partial<Budget> = {}): Budget {
  const directory = "https://acme-v02.api.letsencrypt.org/directory";
  return { domain: "example.com", directory, issued: 3, limit: 50, free_at: inDays(2), ...change };
}

export { pageOf } from "@/testing/serve";
export const serve = serveUnder("/api/v1");
