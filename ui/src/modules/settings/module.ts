import { IconSettings } from "@tabler/icons-react";
import { defineModule } from "@/module";

const label = { en: "Settings", ru: "Настройки" };

/** The settings screen, made of the sections of all modules; its own shows what the environment of the panel sets. */
export default defineModule({
  name: "settings",
  navigation: [
    { group: "system", order: 40, path: "/settings", label, key: "KeyS", icon: IconSettings, slot: "settings" },
  ],
  pages: [
    {
      path: "/settings/{-$section}",
      title: label,
      parents: [{ label: { en: "System", ru: "Система" } }],
      slot: "settings",
      load: () => import("./settings-page"),
    },
  ],
  settings: [
    {
      key: "panel",
      order: 90,
      label: { en: "Panel and security", ru: "Панель и безопасность" },
      needs: ["settings.manage"],
      load: () => import("./security-section"),
    },
  ],
  refresh: ({ subject_type: type, subject_id: id }) =>
    type === "settings" && id ? [["settings", "document", id]] : [],
});
