import { IconBox } from "@tabler/icons-react";
import { defineModule } from "@/module";

const label = { en: "Specimen", ru: "Specimen" };
const view = ["specimen.view" as const];

/** Items of specimen: the list, and how many there may be. */
export default defineModule({
  name: "specimen",
  navigation: [{ group: "system", order: 80, path: "/specimen", label, icon: IconBox, needs: view }],
  pages: [
    {
      path: "/specimen",
      title: label,
      parents: [{ label: { en: "System", ru: "Система" } }],
      needs: view,
      load: () => import("./items-page"),
    },
  ],
  settings: [
    {
      key: "specimen",
      order: 50,
      label,
      needs: view,
      load: () => import("./settings-section"),
    },
  ],
  areas: { permissions: { specimen: "system" }, features: { specimen: "system" } },
  refresh: (event) => (event.kind.startsWith("specimen.") ? [["specimen"]] : []),
});
