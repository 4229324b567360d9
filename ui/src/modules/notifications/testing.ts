import type { SettingsDocument } from "@/api/settings-document";
import { serveUnder } from "@/testing/serve";
import type { Channel, Delivery, EventKind, Rule } from "./api";
import type { Settings } from "./settings/settings-document";

const at = "2026-03-11T12:00:00Z";
const id = (end: string) => `01890000-0000-7000-8000-0000000000${end}`;

export const channelId = id("c1");

export function makeWebhook(change: Partial<Channel> = {}): Channel {
  return {
    id: channelId,
    kind: "webhook",
    name: "Duty desk",
    enabled: true,
    webhook: { host: "desk.example", has_secret: true },
    created_at: at,
    updated_at: at,
    revision: 3,
    ...change,
  };
}

export function makeMail(change: Partial<Channel> = {}): Channel {
  return {
    id: id("c2"),
    kind: "email",
    name: "Team mail",
    enabled: false,
    email: {
      host: "smtp.example",
      port: 587,
      security: "starttls",
      username: "panel",
      has_password: true,
      from: "panel@example.net",
      to: ["anna@example.net"],
      ca: "",
    },
    last_delivery: { id: id("e2"), state: "sent", created_at: at, finished_at: at },
    created_at: at,
    updated_at: at,
    revision: 2,
    ...change,
  };
}

export function makeRule(change: Partial<Rule> = {}): Rule {
  return {
    id: id("d1"),
    name: "Warnings",
    event: "node.*",
    known: true,
    channels: ["messenger", channelId],
    min_severity: "warning",
    cooldown_s: 300,
    group_by: "subject",
    enabled: true,
    created_at: at,
    updated_at: at,
    revision: 5,
    ...change,
  };
}

export const events: EventKind[] = [
  {
    kind: "node.offline",
    family: "node.*",
    severity: "critical",
    en: { summary: "A node is offline", effect: "Its clients move to other exits." },
    ru: { summary: "Нода не в сети", effect: "" },
    resolves: [],
  },
  {
    kind: "license.expiring",
    family: "license.*",
    severity: "warning",
    en: { summary: "The license ends soon", effect: "" },
    ru: { summary: "Лицензия скоро закончится", effect: "" },
    resolves: [],
  },
];

export function makeReason(en: string, ru = en): NonNullable<Delivery["reason"]> {
  return { code: "receiver_status", detail: "", en, ru };
}

export function makeDelivery(change: Partial<Delivery> = {}): Delivery {
  return {
    id: id("e1"),
    channel: "messenger",
    channel_name: "messenger",
    kind: "node.offline",
    severity: "critical",
    subject_type: "node",
    subject_id: id("f1"),
    subject_name: "fra-02",
    count: 1,
    state: "sent",
    attempts: 1,
    answers: null,
    not_before: at,
    created_at: at,
    finished_at: at,
    ...change,
  };
}

export function makeSettings(change: Partial<Settings["messenger"]> = {}): SettingsDocument<Settings> {
  return {
    revision: 4,
    stored: true,
    updated_at: at,
    settings: {
      messenger: { has_bot_token: true, chat_id: "-100200", thread_id: 0, has_proxy: false, ...change },
      messenger_api_root: "https://api.telegram.org",
      quiet_hours: { enabled: true, from: "22:00", to: "07:00", zone: "UTC" },
      language: "en",
    },
    variables: [
      {
        field: "messenger_api_root",
        variable: "PANEL_MESSENGER_API_ROOT",
        given: false,
        value: "https://api.telegram.org",
        holds: true,
      },
    ],
  };
}

export { pageOf } from "@/testing/serve";
export const serve = serveUnder("/api/v1/notifications");
