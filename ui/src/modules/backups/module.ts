import { IconDatabaseExport } from "@tabler/icons-react";
import { defineModule, type PageEntry } from "@/module";

const label = { en: "Backups", ru: "Бэкапы" };
const reliability = { label: { en: "Reliability", ru: "Надёжность" } };

const page = (
  entry: Pick<PageEntry, "path" | "title" | "load">,
  needs: "backups.view" | "backups.manage",
): PageEntry => ({
  ...entry,
  parents: entry.path === "/backups" ? [reliability] : [reliability, { label, path: "/backups" }],
  needs: [needs],
});

/** Backups: what is kept where, whether it was proved, and the way back. */
export default defineModule({
  name: "backups",
  navigation: [
    { group: "reliability", order: 30, path: "/backups", label, icon: IconDatabaseExport, needs: ["backups.view"] },
  ],
  pages: [
    page({ path: "/backups", title: label, load: () => import("./list/backups-page") }, "backups.view"),
    page(
      {
        path: "/backups/profiles/new",
        title: { en: "New profile", ru: "Новый профиль" },
        load: () => import("./profile/new-profile-page"),
      },
      "backups.manage",
    ),
    page(
      {
        path: "/backups/profiles/$id",
        title: { en: "Profile", ru: "Профиль" },
        load: () => import("./profile/profile-page"),
      },
      "backups.view",
    ),
    page(
      { path: "/backups/runs/$id", title: { en: "Backup", ru: "Бэкап" }, load: () => import("./run/run-page") },
      "backups.view",
    ),
    {
      path: "/backups/restoring/$id",
      title: { en: "Restore", ru: "Восстановление" },
      frame: "bare",
      load: () => import("./restore/restore-page"),
    },
  ],
  overview: { order: 40, needs: ["backups.view"], load: () => import("./backups-overview") },
  areas: { permissions: { backups: "reliability" }, features: { backups: "reliability" } },
  refresh: ({ kind, subject_id: run }) => {
    if (kind === "backup.progress")
      return [
        ["backups", "runs", "last"],
        ["backups", "run", run ?? ""],
      ];
    return kind.startsWith("backup.") ? [["backups"]] : [];
  },
});
