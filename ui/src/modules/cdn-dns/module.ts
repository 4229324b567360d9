import { IconWorld } from "@tabler/icons-react";
import { lazy } from "react";
import { defineModule } from "@/module";

const label = { en: "DNS", ru: "DNS" };

/** Names that lead to nodes: the panel's access to services that hold DNS zones. */
export default defineModule({
  name: "cdn-dns",
  navigation: [{ group: "network", order: 60, path: "/dns", label, icon: IconWorld, needs: ["dns.view"] }],
  pages: [
    {
      path: "/dns",
      title: label,
      parents: [{ label: { en: "Network", ru: "Сеть" } }],
      needs: ["dns.view"],
      load: () => import("./integrations-page"),
    },
  ],
  setup: [{ key: "dns", order: 50, label, Step: lazy(() => import("./dns-setup-step")) }],
  areas: { permissions: { dns: "network" }, features: { cdndns: "network" } },
  refresh: ({ kind }) => (kind.startsWith("dns.") ? [["cdn-dns"]] : []),
});
