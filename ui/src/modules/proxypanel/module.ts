import { IconPlugConnected } from "@tabler/icons-react";
import { lazy } from "react";
import { defineModule } from "@/module";

const label = { en: "Proxy panel", ru: "Прокси-панель" };
const view = ["proxypanel.view" as const];

/** External proxy panels, whose users the fleet serves: how each is reached, and what it says of itself. */
export default defineModule({
  name: "proxypanel",
  navigation: [{ group: "network", order: 50, path: "/proxypanel", label, icon: IconPlugConnected, needs: view }],
  pages: [
    {
      path: "/proxypanel",
      title: label,
      parents: [{ label: { en: "Network", ru: "Сеть" } }],
      needs: view,
      load: () => import("./proxypanel-page"),
    },
  ],
  setup: [{ key: "proxypanel", order: 55, label, Step: lazy(() => import("./setup-step")) }],
  search: {
    needs: view,
    find: (text, signal) => import("./find-connections").then(({ findConnections }) => findConnections(text, signal)),
  },
  areas: { permissions: { proxypanel: "network" } },
  refresh: (event) => (event.kind.startsWith("proxypanel.") ? [["proxypanel"]] : []),
});
