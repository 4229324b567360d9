import { defineModule } from "@/module";

/** What clients' subscriptions say beside their connections; the connections themselves are on the pages of flows. */
export default defineModule({
  name: "subscriptions",
  settings: [
    {
      key: "subscriptions",
      order: 40,
      label: { en: "Subscriptions", ru: "Подписки" },
      needs: ["settings.manage"],
      load: () => import("./settings-section"),
    },
  ],
  refresh: ({ kind }) => (kind === "subscriptions.settings_changed" ? [["settings", "document", "subscriptions"]] : []),
});
