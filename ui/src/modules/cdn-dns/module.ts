import { IconWorld } from "@tabler/icons-react";
import { lazy } from "react";
import { defineModule, type PageEntry } from "@/module";

const label = { en: "Domains & CDN", ru: "Домены и CDN" };
const network = { label: { en: "Network", ru: "Сеть" } };
const home = { label, path: "/domains" };

const page = (entry: Pick<PageEntry, "path" | "title" | "load">): PageEntry => ({
  ...entry,
  parents: [network, home],
  needs: ["dns.view"],
});

/** Names that lead to nodes: bindings, certificates, and the panel's access to services that hold DNS zones. */
export default defineModule({
  name: "cdn-dns",
  navigation: [
    { group: "network", order: 60, path: home.path, label, icon: IconWorld, needs: ["nodes.view", "dns.view"] },
  ],
  pages: [
    {
      path: home.path,
      title: label,
      parents: [network],
      needs: ["nodes.view", "dns.view"],
      load: () => import("./bindings/bindings-page"),
    },
    page({
      path: "/domains/certificates",
      title: { en: "Certificates", ru: "Сертификаты" },
      load: () => import("./certificates/certificates-page"),
    }),
    page({
      path: "/domains/integrations",
      title: { en: "Integrations", ru: "Подключения" },
      load: () => import("./integrations/integrations-page"),
    }),
    page({
      path: "/domains/settings",
      title: { en: "Settings", ru: "Настройки" },
      load: () => import("./certificates/settings-page"),
    }),
  ],
  overview: { order: 50, needs: ["dns.view"], load: () => import("./cdn-dns-overview") },
  setup: [{ key: "dns", order: 50, label: { en: "DNS", ru: "DNS" }, Step: lazy(() => import("./dns-setup-step")) }],
  search: {
    needs: ["nodes.view"],
    find: (text, signal) => import("./bindings/find-domains").then(({ findDomains }) => findDomains(text, signal)),
  },
  areas: { permissions: { dns: "network" }, features: { cdndns: "network" } },
  refresh: ({ kind }) => (/^(dns|domain)\./.test(kind) ? [["cdn-dns"]] : []),
});
