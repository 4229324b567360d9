import { queryOptions } from "@tanstack/react-query";
import i18next from "i18next";
import type { OverviewPart, Start, UiModule } from "@/module";

export interface LoadedPart {
  name: string;
  part: OverviewPart;
}

/**
 * The modules that have a part on the overview which the account may see, in their order; those of them that come
 * later; and the others.
 */
export function sources(modules: readonly UiModule[], can: Start["can"]) {
  const all = modules.filter((module) => module.overview);
  const isSeen = ({ overview }: UiModule) => !overview?.needs || can(...overview.needs);
  const visible = all.filter(isSeen).sort((a, b) => a.overview!.order - b.overview!.order);
  return {
    seen: visible.filter(({ overview }) => !overview!.later),
    later: visible.filter(({ overview }) => overview!.later),
    unseen: all.filter((module) => !isSeen(module)),
  };
}

/** The code and the words of these parts. */
export async function loadParts(seen: readonly UiModule[]): Promise<LoadedPart[]> {
  const words = i18next.loadNamespaces(["words", ...seen.map(({ name }) => name)]);
  const parts = seen.map(async ({ name, overview }) => ({ name, part: (await overview!.load()).default }));
  const [loaded] = await Promise.all([Promise.all(parts), words]);
  return loaded;
}

export const partsQuery = (seen: readonly UiModule[]) =>
  queryOptions({
    queryKey: ["overview", "parts", ...seen.map(({ name }) => name)],
    staleTime: Infinity,
    queryFn: () => loadParts(seen),
  });

/** The parts that come later, with what they show first. */
export const laterQuery = (later: readonly UiModule[], start: Start) =>
  queryOptions({
    queryKey: ["overview", "later", ...later.map(({ name }) => name)],
    staleTime: Infinity,
    queryFn: async () => {
      const parts = await loadParts(later);
      await Promise.all(parts.map(({ part }) => part.ahead?.(start)));
      return parts;
    },
  });
