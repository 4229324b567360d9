import { IconPlugConnected } from "@tabler/icons-react";
import { lazy } from "react";
import { defineModule, type PageEntry } from "@/module";

const label = { en: "Proxy panel", ru: "Прокси-панель" };
const view = ["proxypanel.view" as const];

const network = { label: { en: "Network", ru: "Сеть" } };

/** The tabs of nodes and flows stand there once there is a proxy panel at all. */
const where = {
  queryKey: ["proxypanel", "any"],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    import("./find-connections").then(({ anyConnection }) => anyConnection(signal)),
};

const part = (entry: Pick<PageEntry, "path" | "title" | "load">): PageEntry => ({
  ...entry,
  parents: [network, { label, path: "/proxypanel" }],
  needs: view,
});

/** External proxy panels, whose users the fleet serves: how each is reached, and what it says of itself. */
export default defineModule({
  name: "proxypanel",
  navigation: [{ group: "network", order: 50, path: "/proxypanel", label, icon: IconPlugConnected, needs: view }],
  overview: { order: 65, needs: view, later: true, load: () => import("./proxypanel-overview") },
  pages: [
    {
      path: "/proxypanel",
      title: label,
      parents: [network],
      needs: view,
      load: () => import("./proxypanel-page"),
    },
    part({
      path: "/proxypanel/$id",
      title: { en: "Nodes", ru: "Ноды" },
      load: () => import("./panel/nodes-page"),
    }),
    part({
      path: "/proxypanel/$id/users",
      title: { en: "Users", ru: "Пользователи" },
      load: () => import("./panel/users-page"),
    }),
    part({
      path: "/proxypanel/$id/hosts",
      title: { en: "Hosts", ru: "Хосты" },
      load: () => import("./panel/hosts-page"),
    }),
    part({
      path: "/proxypanel/$id/inbounds",
      title: { en: "Inbounds", ru: "Инбаунды" },
      load: () => import("./panel/inbounds-page"),
    }),
    part({
      path: "/proxypanel/$id/squads",
      title: { en: "Squads", ru: "Сквады" },
      load: () => import("./panel/squads-page"),
    }),
    part({
      path: "/proxypanel/$id/drift",
      title: { en: "Drift", ru: "Расхождения" },
      load: () => import("./panel/drift-page"),
    }),
    part({
      path: "/proxypanel/$id/syncs",
      title: { en: "Synchronisation", ru: "Синхронизация" },
      load: () => import("./panel/syncs-page"),
    }),
  ],
  nodeTabs: [{ key: "proxypanel", order: 60, label, needs: view, where, load: () => import("./tabs/node-tab") }],
  flowTabs: [{ key: "proxypanel", order: 60, label, needs: view, where, load: () => import("./tabs/flow-tab") }],
  setup: [{ key: "proxypanel", order: 55, label, Step: lazy(() => import("./setup-step")) }],
  search: {
    needs: view,
    find: (text, signal) => import("./find-connections").then(({ findConnections }) => findConnections(text, signal)),
  },
  areas: { permissions: { proxypanel: "network" } },
  refresh: (event) => (event.kind.startsWith("proxypanel.") ? [["proxypanel"]] : []),
});
