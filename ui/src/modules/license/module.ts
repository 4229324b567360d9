import { IconKey } from "@tabler/icons-react";
import { lazy } from "react";
import { defineModule } from "@/module";

/** The license of this installation and what it opens. */
export default defineModule({
  name: "license",
  navigation: [{ group: "system", order: 20, path: "/license", label: { en: "License", ru: "Лицензия" }, icon: IconKey }],
  pages: [{ path: "/license", title: { en: "License", ru: "Лицензия" }, parents: [{ label: { en: "System", ru: "Система" } }], load: () => import("./license-page") }],
  overview: { order: 50, load: () => import("./license-overview") },
  setup: [{ key: "license", order: 30, label: { en: "License", ru: "Лицензия" }, Step: lazy(() => import("./license-setup-step")) }],
  refresh: (event) => (event.kind.startsWith("license.") ? [["license"]] : []),
});
