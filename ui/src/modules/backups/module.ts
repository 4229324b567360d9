import { defineModule } from "@/module";

/** Backups in other modules' screens: their words, and where their permissions and their feature stand. */
export default defineModule({
  name: "backups",
  areas: { permissions: { backups: "system" }, features: { backups: "system" } },
  refresh: (event) => (event.kind.startsWith("backup.") ? [["backups"]] : []),
});
