import { answer, api } from "@/api/client";
import { Problem, isProblem } from "@/api/problem";
import type { components } from "@/api/schema.gen";
import { useSettingsDocument, type SettingsCalls, type SettingsDocument } from "@/api/settings-document";

export type Settings = components["schemas"]["NotificationsShownSettings"];

/** The settings as one level of fields. A secret begins empty, which keeps the stored one; `drop_…` removes it. */
export interface SettingsFields extends Record<string, unknown> {
  bot_token: string;
  drop_bot_token: boolean;
  chat_id: string;
  thread_id: number | string;
  proxy: string;
  drop_proxy: boolean;
  /** Empty: the variable holds. */
  messenger_api_root: string;
  quiet: boolean;
  from: string;
  to: string;
  zone: string;
  language: string;
}

const path = "/api/v1/notifications/settings";

export function fieldsOf(settings: Settings, document: SettingsDocument<Settings>): SettingsFields {
  const { messenger, quiet_hours: quiet } = settings;
  const variable = document.variables?.find(({ field }) => field === "messenger_api_root");
  return {
    bot_token: "",
    drop_bot_token: false,
    chat_id: messenger.chat_id,
    thread_id: messenger.thread_id === 0 ? "" : messenger.thread_id,
    proxy: "",
    drop_proxy: false,
    messenger_api_root: variable?.holds ? "" : settings.messenger_api_root,
    quiet: quiet.enabled,
    from: quiet.from,
    to: quiet.to,
    zone: quiet.zone,
    language: settings.language,
  };
}

/** What is sent of a secret: nothing keeps the stored one, an empty text removes it. */
function secret(typed: string, drop: boolean): string | undefined {
  return drop ? "" : typed.trim() || undefined;
}

export function bodyOf(fields: SettingsFields): components["schemas"]["NotificationsSettings"] {
  const token = secret(fields.bot_token, fields.drop_bot_token);
  const proxy = secret(fields.proxy, fields.drop_proxy);
  const root = fields.messenger_api_root.trim();
  return {
    messenger: {
      ...(token !== undefined && { bot_token: token }),
      chat_id: fields.chat_id.trim(),
      thread_id: Number(fields.thread_id) || 0,
      ...(proxy !== undefined && { proxy }),
    },
    ...(root && { messenger_api_root: root }),
    quiet_hours: { enabled: fields.quiet, from: fields.from, to: fields.to, zone: fields.zone },
    language: fields.language === "ru" ? "ru" : "en",
  };
}

/** Refusals name fields by their place in the document; the form has one level. */
export function flattened(error: unknown): unknown {
  if (!isProblem(error)) return error;
  const errors = error.fields.map((item) => ({
    ...item,
    field: item.field
      .replace(/^body\./, "")
      .replace(/^settings\.(messenger|quiet_hours)\./, "settings.")
      .replace(/^settings\.enabled$/, "settings.quiet"),
  }));
  return new Problem({ ...error.document, errors }, error.retryAfterSeconds);
}

export const settingsCalls: SettingsCalls<Settings, SettingsFields> = {
  read: (signal) => answer(api.GET(path, { signal })),
  write: async ({ revision, settings }) => {
    try {
      return await answer(api.PUT(path, { body: { revision, settings: bodyOf(settings) } }));
    } catch (error) {
      throw flattened(error);
    }
  },
};

/** The settings document of notifications, shared by the page, the settings screen and the first installation. */
export function useNotificationSettings() {
  return useSettingsDocument<Settings, SettingsFields>("notifications", settingsCalls);
}

export function isConfigured({ messenger }: Settings): boolean {
  return messenger.has_bot_token && messenger.chat_id !== "";
}
