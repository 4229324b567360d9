import { answer, api } from "@/api/client";
import { Problem, isProblem } from "@/api/problem";
import type { components } from "@/api/schema.gen";
import { useSettingsDocument, type SettingsCalls } from "@/api/settings-document";

export type Settings = components["schemas"]["CdndnsShownCertificateSettings"];

/** The settings as one level of fields. The key begins empty, which keeps the stored one; `drop_mac_key` removes it. */
export interface SettingsFields extends Record<string, unknown> {
  authority: "letsencrypt" | "other";
  staging: boolean;
  directory: string;
  email: string;
  key_id: string;
  mac_key: string;
  drop_mac_key: boolean;
  roots: string;
}

const path = "/api/v1/dns/certificate-settings";

export function fieldsOf({ authority, directory, email, external_account: account, roots }: Settings): SettingsFields {
  return {
    authority: authority === "other" ? "other" : "letsencrypt",
    staging: authority === "letsencrypt-staging",
    directory,
    email,
    key_id: account.key_id,
    mac_key: "",
    drop_mac_key: false,
    roots,
  };
}

export function bodyOf(fields: SettingsFields): components["schemas"]["CdndnsCertificateSettings"] {
  const other = fields.authority === "other";
  const key = fields.drop_mac_key ? "" : fields.mac_key.trim() || undefined;
  return {
    authority: other ? "other" : fields.staging ? "letsencrypt-staging" : "letsencrypt",
    directory: other ? fields.directory.trim() : "",
    email: fields.email.trim(),
    external_account: {
      key_id: fields.drop_mac_key ? "" : fields.key_id.trim(),
      ...(key !== undefined && { mac_key: key }),
    },
    roots: other ? fields.roots.trim() : "",
  };
}

/** Refusals name fields by their place in the document; the form has one level. */
export function flattened(error: unknown): unknown {
  if (!isProblem(error)) return error;
  const errors = error.fields.map((item) => ({
    ...item,
    field: item.field.replace(/^body\./, "").replace(/^settings\.external_account\./, "settings."),
  }));
  return new Problem({ ...error.document, errors }, error.retryAfterSeconds);
}

const calls: SettingsCalls<Settings, SettingsFields> = {
  read: (signal) => answer(api.GET(path, { signal })),
  write: async ({ revision, settings }) => {
    try {
      return await answer(api.PUT(path, { body: { revision, settings: bodyOf(settings) } }));
    } catch (error) {
      throw flattened(error);
    }
  },
};

/** Where certificates are ordered. */
export function useCertificateSettings() {
  return useSettingsDocument<Settings, SettingsFields>("certificates", calls);
}
