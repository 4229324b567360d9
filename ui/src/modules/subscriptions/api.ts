import { answer, api } from "@/api/client";
import type { components } from "@/api/schema.gen";
import type { SettingsCalls } from "@/api/settings-document";

export type Settings = components["schemas"]["SubscriptionsSettings"];

/** The form's fields; an emptied number is a text until it is checked. */
export interface SettingsFields extends Record<string, unknown> {
  title: string;
  support: string;
  announcement: string;
  interval_hours: number | string;
}

const path = "/api/v1/subscriptions/settings";

export const settingsCalls: SettingsCalls<Settings, SettingsFields> = {
  read: (signal) => answer(api.GET(path, { signal })),
  write: ({ revision, settings: { title, support, announcement, interval_hours } }) => {
    const settings = { title, support, announcement, interval_hours: Number(interval_hours) };
    return answer(api.PUT(path, { body: { revision, settings } }));
  },
};
