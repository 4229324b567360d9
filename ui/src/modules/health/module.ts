import { IconHeartbeat, IconRadar2 } from "@tabler/icons-react";
import { defineModule, type PageEntry } from "@/module";

const label = { en: "Health", ru: "Здоровье" };
const reliability = { label: { en: "Reliability", ru: "Надёжность" } };
const view = ["health.view" as const];
const checks = { en: "Checks", ru: "Проверки" };
const home = { label, path: "/monitoring" };
const incidents = { en: "Incidents", ru: "Инциденты" };
const external = { label: { en: "External checks", ru: "Внешние проверки" }, path: "/checks" };

const page = (entry: Pick<PageEntry, "path" | "title" | "load">): PageEntry => ({
  ...entry,
  parents: [reliability, home],
  needs: view,
});

/** How nodes and flows do, seen from several places. */
export default defineModule({
  name: "health",
  navigation: [
    { group: "reliability", order: 10, path: home.path, label, icon: IconHeartbeat, needs: view },
    { group: "reliability", order: 20, path: external.path, label: external.label, icon: IconRadar2, needs: view },
  ],
  pages: [
    {
      path: home.path,
      title: label,
      parents: [reliability],
      needs: view,
      load: () => import("./matrix/nodes-page"),
    },
    page({
      path: "/monitoring/flows",
      title: { en: "Flows", ru: "Потоки" },
      load: () => import("./matrix/flows-page"),
    }),
    page({
      path: "/monitoring/incidents",
      title: incidents,
      load: () => import("./incidents/incidents-page"),
    }),
    {
      path: "/monitoring/incidents/$id",
      title: { en: "Incident", ru: "Инцидент" },
      parents: [reliability, home, { label: incidents, path: "/monitoring/incidents" }],
      needs: view,
      load: () => import("./incidents/incident-page"),
    },
    page({
      path: "/monitoring/repairs",
      title: { en: "Self-repair", ru: "Самовосстановление" },
      load: () => import("./repairs/repairs-page"),
    }),
    page({
      path: "/monitoring/policies",
      title: { en: "Policies", ru: "Политики" },
      load: () => import("./policies/policies-page"),
    }),
    page({
      path: "/monitoring/nodes/$id",
      title: { en: "Node", ru: "Нода" },
      load: () => import("./subject/node-page"),
    }),
    page({
      path: "/monitoring/flows/$id",
      title: { en: "Flow", ru: "Поток" },
      load: () => import("./subject/flow-page"),
    }),
    {
      path: external.path,
      title: external.label,
      parents: [reliability],
      needs: view,
      load: () => import("./external/checks-page"),
    },
    {
      path: "/checks/$id",
      title: { en: "Flow", ru: "Поток" },
      parents: [reliability, external],
      needs: view,
      load: () => import("./external/flow-page"),
    },
  ],
  nodeTabs: [{ key: "checks", order: 40, label: checks, needs: view, load: () => import("./subject/node-tab") }],
  flowTabs: [{ key: "checks", order: 40, label: checks, needs: view, load: () => import("./subject/flow-tab") }],
  flowColumns: [
    {
      key: "health-days",
      order: 10,
      label: { en: "30 days", ru: "30 дней" },
      needs: view,
      load: () => import("./subject/flow-column"),
    },
  ],
  overview: { order: 30, needs: view, load: () => import("./health-overview") },
  settings: [
    { key: "health", order: 60, label: external.label, needs: view, load: () => import("./external/settings-section") },
  ],
  areas: { permissions: { health: "reliability" }, features: { health: "reliability" } },
  refresh: ({ kind }) => {
    if (kind.startsWith("extcheck.")) return [["health", "external"]];
    return kind.startsWith("health.") ? [["health"]] : [];
  },
});
