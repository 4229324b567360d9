import type { UiModule } from "@/module";

const found = import.meta.glob<{ default: UiModule }>("../modules/*/module.ts", { eager: true });

/** Every module of the web interface, found by its folder. Adding one edits no file here. */
export const modules: UiModule[] = Object.values(found)
  .map((file) => file.default)
  .sort((a, b) => a.name.localeCompare(b.name));

export const pages = modules.flatMap((module) => (module.pages ?? []).map((page) => ({ ...page, module: module.name })));

export type ModulePage = (typeof pages)[number];
