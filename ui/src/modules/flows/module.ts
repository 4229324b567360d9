import { IconLink, IconPlayerPlay, IconPlayerStop, IconPlayerTrackNext, IconRoute2 } from "@tabler/icons-react";
import { answer, api } from "@/api/client";
import { defineModule } from "@/module";
import { staleFlows } from "./shared/stale";
import type { Flow, Page } from "./shared/api";

const network = { label: { en: "Network", ru: "Сеть" } };
const list = { label: { en: "Flows", ru: "Потоки" }, path: "/flows" };
const view = ["connection_units.view" as const];

const read = (query: Record<string, unknown>, signal?: AbortSignal): Promise<Page<Flow>> =>
  answer(api.GET("/api/v1/connection-units", { signal, params: { query } }));

/** The way of traffic from an entry to an exit: drawn, compiled into a plan, applied, rolled back. */
export default defineModule({
  name: "flows",
  navigation: [
    {
      group: "network",
      order: 20,
      path: "/flows",
      label: list.label,
      key: "KeyF",
      icon: IconRoute2,
      needs: view,
      count: async () => (await read({ limit: 1 })).total,
    },
  ],
  pages: [
    { path: "/flows", title: list.label, parents: [network], needs: view, load: () => import("./list/list-page") },
    {
      path: "/flows/bulk",
      title: { en: "Apply together", ru: "Применить вместе" },
      parents: [list],
      needs: view,
      load: () => import("./bulk/bulk-page"),
    },
    {
      path: "/flows/$id/{-$tab}",
      title: { en: "Flow", ru: "Поток" },
      parents: [list],
      needs: view,
      frame: "wide",
      load: () => import("./editor/editor-page"),
    },
    {
      path: "/flows/$id/plans/$planId",
      title: { en: "Plan", ru: "План" },
      parents: [list, { label: { en: "Flow", ru: "Поток" }, path: "/flows/$id" }],
      needs: view,
      load: () => import("./plan/plan-page"),
    },
    {
      path: "/flows/$id/applies/$applyId",
      title: { en: "Apply", ru: "Применение" },
      parents: [list, { label: { en: "Flow", ru: "Поток" }, path: "/flows/$id" }],
      needs: view,
      load: () => import("./apply/apply-page"),
    },
  ],
  nodeTabs: [{ key: "flows", order: 10, label: list.label, needs: view, load: () => import("./list/node-flows-tab") }],
  overview: { order: 20, needs: view, load: () => import("./list/flows-overview") },
  areas: { permissions: { connection_units: "network" }, features: { flows: "network" } },
  search: {
    needs: view,
    find: (text, signal) => import("./palette/find-flows").then(({ findFlows }) => findFlows(text, signal)),
  },
  acts: [
    {
      key: "compile",
      label: { en: "Compile plan", ru: "Составить план" },
      icon: IconPlayerPlay,
      verbs: ["compile", "compile plan of", "compile plan", "план", "составить план", "скомпилировать"],
      needs: ["connection_units.edit", "connection_units.apply"],
      feature: "flows",
    },
    {
      key: "stop",
      label: { en: "Stop serving", ru: "Остановить работу" },
      icon: IconPlayerStop,
      verbs: ["stop", "stop serving", "остановить", "остановить работу"],
      needs: ["connection_units.apply"],
      feature: "flows",
    },
    {
      key: "start",
      label: { en: "Start serving", ru: "Возобновить работу" },
      icon: IconPlayerTrackNext,
      verbs: ["start", "start serving", "возобновить", "возобновить работу"],
      needs: ["connection_units.apply"],
      feature: "flows",
    },
    {
      key: "link",
      label: { en: "Link for a client", ru: "Ссылка для клиента" },
      icon: IconLink,
      verbs: ["link for", "link", "ссылка для", "ссылка"],
      needs: ["connection_units.edit"],
      feature: "flows",
    },
  ],
  refresh: staleFlows,
});
