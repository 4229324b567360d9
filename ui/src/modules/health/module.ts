import { IconBox } from "@tabler/icons-react";
import { defineModule } from "@/module";

const label = { en: "Health", ru: "Health" };
const view = ["health.view" as const];

/** Items of health: the list, and how many there may be. */
export default defineModule({
  name: "health",
  navigation: [{ group: "system", order: 80, path: "/health", label, icon: IconBox, needs: view }],
  pages: [
    {
      path: "/health",
      title: label,
      parents: [{ label: { en: "System", ru: "Система" } }],
      needs: view,
      load: () => import("./items-page"),
    },
  ],
  settings: [
    {
      key: "health",
      order: 50,
      label,
      needs: view,
      load: () => import("./settings-section"),
    },
  ],
  areas: { permissions: { health: "system" }, features: { health: "system" } },
  refresh: (event) => (event.kind.startsWith("health.") ? [["health"]] : []),
});
