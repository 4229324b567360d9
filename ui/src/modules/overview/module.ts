import { IconLayoutDashboard } from "@tabler/icons-react";
import { defineModule } from "@/module";
import { loadParts } from "./parts";

/** The first page: figures, the fleet, what needs a person. Its parts come from the other modules. */
export default defineModule({
  name: "overview",
  navigation: [
    {
      group: "home",
      order: 10,
      path: "/",
      label: { en: "Overview", ru: "Обзор" },
      key: "KeyO",
      icon: IconLayoutDashboard,
    },
  ],
  refresh: ({ kind }) => {
    if (kind.startsWith("flow.")) return [["overview", "applies"]];
    return kind === "operation.changed" ? [["overview", "jobs"]] : [];
  },
  pages: [
    {
      path: "/",
      title: { en: "Overview", ru: "Обзор" },
      load: () => import("./overview-page"),
      // Which of them the account may see is not known yet.
      alongside: (modules) => loadParts(modules.filter(({ overview }) => overview && !overview.later)),
    },
  ],
});
