import { IconPlayerPlay, IconRefresh, IconServer2, IconTool } from "@tabler/icons-react";
import { lazy } from "react";
import { defineModule } from "@/module";
import { staleNodes } from "./shared/stale";
import { countNodes } from "./shared/api";

const network = { label: { en: "Network", ru: "Сеть" } };
const list = { label: { en: "Nodes", ru: "Ноды" }, path: "/nodes" };

/** The fleet: servers, their agents and what they report. */
export default defineModule({
  name: "nodes",
  navigation: [
    {
      group: "network",
      order: 10,
      path: "/nodes",
      label: list.label,
      key: "KeyN",
      icon: IconServer2,
      needs: ["nodes.view"],
      count: countNodes,
    },
  ],
  pages: [
    {
      path: "/nodes",
      title: list.label,
      parents: [network],
      needs: ["nodes.view"],
      load: () => import("./list/nodes-page"),
    },
    {
      path: "/nodes/new",
      title: { en: "Add node", ru: "Новая нода" },
      parents: [network, list],
      needs: ["nodes.edit"],
      load: () => import("./enroll/add-node-page"),
    },
    {
      path: "/nodes/$id",
      title: { en: "Node", ru: "Нода" },
      parents: [network, list],
      needs: ["nodes.view"],
      load: () => import("./node/node-page"),
    },
  ],
  overview: { order: 10, needs: ["nodes.view"], load: () => import("./fleet/nodes-overview") },
  setup: [
    {
      key: "node",
      order: 70,
      label: { en: "First node", ru: "Первая нода" },
      needsLicense: true,
      Step: lazy(() => import("./enroll/node-setup-step")),
    },
  ],
  areas: { permissions: { nodes: "network" } },
  search: {
    needs: ["nodes.view"],
    find: (text, signal) => import("./acts/find-nodes").then(({ findNodes }) => findNodes(text, signal)),
  },
  acts: [
    {
      key: "restart_core",
      label: { en: "Restart core", ru: "Перезапустить ядро" },
      icon: IconRefresh,
      verbs: ["restart", "restart core of", "restart core", "перезапустить", "перезапустить ядро", "рестарт"],
      needs: ["nodes.edit"],
    },
    {
      key: "maintenance_on",
      label: { en: "Begin maintenance", ru: "Начать обслуживание" },
      icon: IconTool,
      verbs: ["maintenance", "begin maintenance", "обслуживание", "начать обслуживание"],
      needs: ["nodes.edit"],
    },
    {
      key: "maintenance_off",
      label: { en: "End maintenance", ru: "Закончить обслуживание" },
      icon: IconPlayerPlay,
      verbs: ["end maintenance", "end maintenance of", "resume", "закончить обслуживание", "вернуть в работу"],
      needs: ["nodes.edit"],
    },
  ],
  refresh: staleNodes,
});
