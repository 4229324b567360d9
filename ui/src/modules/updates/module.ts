import { IconRefresh } from "@tabler/icons-react";
import { defineModule } from "@/module";

/** Newer releases: of the panel itself and of the agents. */
export default defineModule({
  name: "updates",
  navigation: [
    {
      group: "system",
      order: 30,
      path: "/updates",
      label: { en: "Updates", ru: "Обновления" },
      key: "KeyU",
      icon: IconRefresh,
      needs: ["nodes.view", "settings.manage"],
    },
  ],
  pages: [
    {
      path: "/updates",
      title: { en: "Updates", ru: "Обновления" },
      parents: [{ label: { en: "System", ru: "Система" } }],
      needs: ["nodes.view", "settings.manage"],
      load: () => import("./updates-page"),
    },
  ],
  settings: [
    {
      key: "updates",
      order: 30,
      label: { en: "Updates", ru: "Обновления" },
      needs: ["settings.manage"],
      load: () => import("./settings-section"),
    },
  ],
  refresh: (event) => {
    if (event.kind.startsWith("node.update") || event.kind === "node.enrolled" || event.kind === "node.deleted")
      return [["updates", "agents"]];
    return event.kind.startsWith("system.") ? [["updates", "panel"]] : [];
  },
});
