import { IconMapSearch } from "@tabler/icons-react";
import { defineModule, type PageEntry } from "@/module";

const label = { en: "Geo-assets", ru: "Геоданные" };
const view = ["geo_assets.view" as const];
const network = { label: { en: "Network", ru: "Сеть" } };

const part = (entry: Pick<PageEntry, "path" | "title" | "load">): PageEntry => ({
  ...entry,
  parents: [network, { label, path: "/geo" }],
  needs: view,
});

/** The lists of domains and networks by which flows route: their sources, versions, contents, and who holds them. */
export default defineModule({
  name: "geo",
  navigation: [{ group: "network", order: 55, path: "/geo", label, icon: IconMapSearch, needs: view }],
  overview: { order: 70, needs: view, later: true, load: () => import("./geo-overview") },
  pages: [
    { path: "/geo", title: label, parents: [network], needs: view, load: () => import("./geo-page") },
    part({ path: "/geo/$id", title: { en: "Versions", ru: "Версии" }, load: () => import("./asset/versions-page") }),
    part({
      path: "/geo/$id/categories",
      title: { en: "Categories", ru: "Категории" },
      load: () => import("./asset/categories-page"),
    }),
    part({
      path: "/geo/$id/changes",
      title: { en: "Changes", ru: "Изменения" },
      load: () => import("./asset/changes-page"),
    }),
    part({ path: "/geo/$id/nodes", title: { en: "Nodes", ru: "Ноды" }, load: () => import("./asset/nodes-page") }),
  ],
  nodeParts: [{ key: "geo", order: 20, label, needs: view, load: () => import("./parts/node-part") }],
  areas: { permissions: { geo_assets: "network" }, features: { geo: "network" } },
  refresh: ({ kind }) => (kind.startsWith("geo.") ? [["geo"]] : []),
});
