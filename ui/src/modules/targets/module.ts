import { IconTarget } from "@tabler/icons-react";
import { defineModule } from "@/module";

const label = { en: "REALITY targets", ru: "Цели REALITY" };
const view = ["connection_units.view" as const];
const network = { label: { en: "Network", ru: "Сеть" } };

/** Searches for sites that REALITY listeners may show to strangers. */
export default defineModule({
  name: "targets",
  navigation: [{ group: "network", order: 30, path: "/targets", label, icon: IconTarget, needs: view }],
  pages: [
    { path: "/targets", title: label, parents: [network], needs: view, load: () => import("./searches-page") },
    {
      path: "/targets/$id",
      title: { en: "Search", ru: "Поиск" },
      parents: [network, { label, path: "/targets" }],
      needs: view,
      load: () => import("./search-page"),
    },
  ],
  targetPickers: [
    {
      key: "targets",
      order: 10,
      label,
      needs: view,
      load: () => import("./find-target"),
    },
  ],
  refresh: ({ kind }) => (kind.startsWith("target.") ? [["targets"]] : []),
});
