import type { PermissionKey } from "@/api/keys.gen";
import type { SlotName, UiModule } from "@/module";

const found = import.meta.glob<{ default: UiModule }>("../modules/*/module.ts", { eager: true });

/** Every module of the web interface, found by its folder. Adding one edits no file here. */
export const modules: UiModule[] = Object.values(found)
  .map((file) => file.default)
  .sort((a, b) => a.name.localeCompare(b.name));

/** The keys of which one opens a page or an entry; a screen made of a slot opens with any key of its parts. */
function withNeeds<Entry extends { needs?: PermissionKey[]; slot?: SlotName }>(entry: Entry): Entry {
  if (!entry.slot) return entry;
  const parts = modules.flatMap((module): { needs?: PermissionKey[] }[] => module[entry.slot!] ?? []);
  if (parts.some((part) => !part.needs)) return { ...entry, needs: undefined };
  return { ...entry, needs: [...new Set(parts.flatMap((part) => part.needs!))] };
}

export const pages = modules.flatMap((module) =>
  (module.pages ?? []).map((page) => ({ ...withNeeds(page), module: module.name })),
);

export const navigation = modules.flatMap((module) =>
  (module.navigation ?? []).map((entry) => ({ ...withNeeds(entry), module: module.name })),
);

export type ModulePage = (typeof pages)[number];
