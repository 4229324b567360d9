import { lazy } from "react";
import { defineModule } from "@/module";

const edit = ["connection_units.edit" as const];

/** Flows from other programs and panels, with their clients. */
export default defineModule({
  name: "imports",
  pages: [
    {
      path: "/flows/import",
      title: { en: "Import", ru: "Импорт" },
      parents: [{ label: { en: "Network", ru: "Сеть" } }, { label: { en: "Flows", ru: "Потоки" }, path: "/flows" }],
      needs: edit,
      load: () => import("./import-page"),
    },
  ],
  setup: [
    {
      key: "imports",
      order: 80,
      label: { en: "What you have", ru: "Что уже есть" },
      needsLicense: true,
      Step: lazy(() => import("./imports-setup-step")),
    },
  ],
});
