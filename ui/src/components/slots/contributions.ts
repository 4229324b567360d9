import { createContext, useContext } from "react";
import type { UiModule } from "@/module";

/** All modules, for the two pages that are made of what others bring: the overview and the first installation. */
export const Modules = createContext<readonly UiModule[]>([]);

export function useModules(): readonly UiModule[] {
  return useContext(Modules);
}
