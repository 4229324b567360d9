import { defineModule } from "@/module";

/** What the panel does by itself, and the switch that stops all of it. */
export default defineModule({
  name: "automation",
  settings: [
    {
      key: "automation",
      order: 15,
      label: { en: "Automation", ru: "Автоматика" },
      needs: ["settings.manage"],
      load: () => import("./automation-section"),
    },
  ],
  refresh: (event) => (event.kind.startsWith("automation.") ? [["automation"]] : []),
});
