import { IconStethoscope } from "@tabler/icons-react";
import { defineModule } from "@/module";

/** How the panel itself is: status, the last diagnosis of Doctor, the end of the log, support bundles. */
export default defineModule({
  name: "diagnostics",
  navigation: [
    {
      group: "system",
      order: 50,
      path: "/diagnostics",
      label: { en: "Diagnostics", ru: "Диагностика" },
      key: "KeyD",
      icon: IconStethoscope,
      needs: ["settings.manage"],
    },
  ],
  pages: [
    {
      path: "/diagnostics",
      title: { en: "Diagnostics", ru: "Диагностика" },
      parents: [{ label: { en: "System", ru: "Система" } }],
      needs: ["settings.manage"],
      load: () => import("./diagnostics-page"),
    },
  ],
});
