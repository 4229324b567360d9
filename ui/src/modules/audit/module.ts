import { IconHistory } from "@tabler/icons-react";
import { defineModule } from "@/module";

const events = {
  key: "events",
  order: 90,
  label: { en: "Events", ru: "События" },
  needs: ["audit.view" as const],
  load: () => import("./object-tab"),
};

const journal = { en: "Journal", ru: "Журнал" };

/** The journal: who did what, and the proof that nobody changed the record since. */
export default defineModule({
  name: "audit",
  navigation: [
    {
      group: "protection",
      order: 20,
      path: "/audit",
      label: journal,
      key: "KeyJ",
      icon: IconHistory,
      needs: ["audit.view"],
    },
  ],
  nodeTabs: [events],
  flowTabs: [events],
  clientParts: [events],
  areas: { permissions: { audit: "protection" } },
  pages: [
    {
      path: "/audit",
      title: journal,
      parents: [{ label: { en: "Protection", ru: "Защита" } }],
      needs: ["audit.view"],
      load: () => import("./audit-page"),
    },
  ],
});
