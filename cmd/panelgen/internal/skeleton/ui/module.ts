import { IconBox } from "@tabler/icons-react";
import { defineModule } from "@/module";

const label = { en: "Skeleton", ru: "Skeleton" };
const view = ["skeleton.view" as const];

/** Items of skeleton: the list, and how many there may be. */
export default defineModule({
  name: "skeleton",
  navigation: [{ group: "system", order: 80, path: "/skeleton", label, icon: IconBox, needs: view }],
  pages: [
    {
      path: "/skeleton",
      title: label,
      parents: [{ label: { en: "System", ru: "Система" } }],
      needs: view,
      load: () => import("./items-page"),
    },
  ],
  settings: [
    {
      key: "skeleton",
      order: 50,
      label,
      needs: view,
      load: () => import("./settings-section"),
    },
  ],
  areas: { permissions: { skeleton: "system" }, features: { skeleton: "system" } },
  refresh: (event) => (event.kind.startsWith("skeleton.") ? [["skeleton"]] : []),
});
