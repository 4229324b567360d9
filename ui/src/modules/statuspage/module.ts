import { IconActivityHeartbeat } from "@tabler/icons-react";
import { defineModule, type PageEntry } from "@/module";

const label = { en: "Status page", ru: "Страница статуса" };
const view = ["statuspage.view" as const];
const reliability = { label: { en: "Reliability", ru: "Надёжность" } };

const part = (entry: Pick<PageEntry, "path" | "title" | "load">): PageEntry => ({
  ...entry,
  parents: [reliability, { label, path: "/status-page" }],
  needs: view,
});

/** The page that the operator's customers read: what it shows, what they are told, and where it is published. */
export default defineModule({
  name: "statuspage",
  navigation: [
    { group: "reliability", order: 50, path: "/status-page", label, icon: IconActivityHeartbeat, needs: view },
  ],
  overview: { order: 80, needs: view, later: true, load: () => import("./statuspage-overview") },
  pages: [
    { path: "/status-page", title: label, parents: [reliability], needs: view, load: () => import("./editor/page") },
    part({
      path: "/status-page/incidents",
      title: { en: "Incidents", ru: "Инциденты" },
      load: () => import("./notices/notices-page"),
    }),
    part({
      path: "/status-page/incidents/$id",
      title: { en: "Incident", ru: "Инцидент" },
      load: () => import("./notices/notice-page"),
    }),
    part({
      path: "/status-page/maintenance",
      title: { en: "Maintenance", ru: "Работы" },
      load: () => import("./notices/maintenance-page"),
    }),
    part({
      path: "/status-page/publishing",
      title: { en: "Deploys", ru: "Публикация" },
      load: () => import("./publish/publish-page"),
    }),
  ],
  areas: { permissions: { statuspage: "reliability" }, features: { statuspage: "reliability" } },
  refresh: ({ kind }) => (kind.startsWith("statuspage.") ? [["statuspage"]] : []),
});
