import { IconSettings } from "@tabler/icons-react";
import { defineModule } from "@/module";

/** What the environment of the panel sets: shown here, changed on the server. */
export default defineModule({
  name: "settings",
  navigation: [{ group: "system", order: 40, path: "/settings", label: { en: "Settings", ru: "Настройки" }, icon: IconSettings, needs: ["settings.manage"] }],
  pages: [{ path: "/settings", title: { en: "Settings", ru: "Настройки" }, parents: [{ label: { en: "System", ru: "Система" } }], needs: ["settings.manage"], load: () => import("./settings-page") }],
});
