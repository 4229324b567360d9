import { IconKey } from "@tabler/icons-react";
import { lazy } from "react";
import { defineModule } from "@/module";

/** The license of this installation and what it opens. */
export default defineModule({
  name: "license",
  navigation: [
    {
      group: "system",
      order: 20,
      path: "/license",
      label: { en: "License", ru: "Лицензия" },
      key: "KeyL",
      icon: IconKey,
    },
  ],
  pages: [
    {
      path: "/license",
      title: { en: "License", ru: "Лицензия" },
      parents: [{ label: { en: "System", ru: "Система" } }],
      load: () => import("./license-page"),
    },
  ],
  overview: { order: 50, load: () => import("./license-overview") },
  setup: [
    {
      key: "license",
      order: 30,
      label: { en: "License", ru: "Лицензия" },
      Step: lazy(() => import("./license-setup-step")),
    },
  ],
  // A license names features that this release may not have yet; a module that comes takes over its own.
  areas: {
    features: {
      cdndns: "network",
      hosting: "network",
      proxypanel: "network",
      health: "reliability",
      backups: "reliability",
      statuspage: "reliability",
      notifications: "protection",
      assistant: "protection",
    },
  },
  refresh: (event) => (event.kind.startsWith("license.") ? [["license"]] : []),
});
