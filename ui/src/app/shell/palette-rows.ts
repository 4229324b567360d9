import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { Icon } from "@tabler/icons-react";
import type { ReactElement } from "react";
import { useTranslation } from "react-i18next";
import { useAccess, useWriteBlocks } from "@/api/access";
import type { PaletteAct, PaletteHit, UiModule } from "@/module";
import { useModules } from "@/components/slots/contributions";
import { useLanguage } from "@/text/use-format";
import { navigation, pages } from "../modules";
import { offered, readPalette } from "./palette-text";

/** One line of the palette: it goes somewhere, opens the dialog of an act, or completes what is typed. */
export interface PaletteRow {
  id: string;
  group: string;
  name: string;
  detail?: string;
  icon?: Icon;
  status?: PaletteHit["status"];
  reason?: string;
  go?: { path: string; search?: Record<string, string> };
  run?: (onClose: () => void) => ReactElement;
  complete?: string;
}

const leastText = 2;

export interface PaletteRows {
  rows: PaletteRow[];
  /** What was looked for, to be marked in the names. */
  name: string;
  /** What to tell where there are no rows. */
  none: string;
  /** The rows still belong to what was typed before. */
  busy: boolean;
}

/** What the palette shows for a text: objects and acts on the first of them, acts by their verb, pages. */
export function usePaletteRows(text: string): PaletteRows {
  const { t } = useTranslation("app");
  const language = useLanguage();
  const { can } = useAccess();
  const block = useWriteBlocks();
  const modules = useModules();
  const readable = modules.filter((module) => module.search && (!module.search.needs || can(...module.search.needs)));
  const acts = readable.flatMap((module) => module.acts ?? []).filter((act) => act.needs.every((key) => can(key)));
  const [settled] = useDebouncedValue(text, 150);
  const asked = readPalette(settled, acts);
  const found = useFound(sourcesOf(readable, asked.acts), asked.name);
  const blockOf = (act: PaletteAct) => block({ feature: act.feature, whileReadOnly: act.whileReadOnly });
  const looking = asked.name.length >= leastText;
  const hits = looking ? nearestFirst(found.data ?? [], asked.name) : [];
  const busy = settled !== text || (looking && (found.isPending || found.isPlaceholderData));

  const runsOf = (hit: PaletteHit, only: readonly PaletteAct[], group: string, name: (act: PaletteAct) => string) =>
    only.flatMap((act): PaletteRow[] => {
      const run = hit.runs?.find((one) => one.act === act.key);
      if (!run) return [];
      const reason = blockOf(act) ?? run.reason;
      return [
        {
          id: `${act.key}-${hit.id}`,
          group,
          name: name(act),
          detail: run.detail,
          icon: act.icon,
          status: reason ? undefined : hit.status,
          reason,
          run: run.draw,
        },
      ];
    });

  if (asked.acts.length > 0) {
    const rows = asked.acts.flatMap((act) =>
      hits.flatMap((hit) => runsOf(hit, [act], act.label[language], () => hit.name)),
    );
    const told = asked.acts.find((act) => act.none)?.none?.[language] ?? t("palette.none");
    return { rows, name: asked.name, busy, none: looking ? told : t("palette.name") };
  }
  const first = hits.find((hit) => hit.runs && hit.runs.length > 0);
  const rows = hits.map((hit): PaletteRow => ({ ...hit, go: { path: hit.path, search: hit.search } }));
  const own = first
    ? runsOf(first, acts, t("palette.actsOn", { name: first.name }), (act) => `${act.label[language]}…`).map((row) => ({
        ...row,
        status: undefined,
      }))
    : [];
  const at = first ? rows.findLastIndex((row) => row.group === first.group) + 1 : 0;
  rows.splice(at, 0, ...own);
  const verbs = first ? [] : offered(text, acts).map((act) => verbRow(act));
  return { rows: [...rows, ...verbs, ...placesFor(text)], name: asked.name, busy, none: t("palette.none") };

  function verbRow(act: PaletteAct): PaletteRow {
    const spoken = act.verbs.filter((verb) => /[а-я]/i.test(verb) === (language === "ru"));
    const verb = spoken[0] ?? act.verbs[0]!;
    return {
      id: act.key,
      group: t("palette.acts"),
      name: `${act.label[language]}…`,
      detail: t("palette.verb", { verb }),
      icon: act.icon,
      reason: blockOf(act),
      complete: `${verb} `,
    };
  }

  function placesFor(typed: string): PaletteRow[] {
    const needle = typed.trim().toLocaleLowerCase();
    return pages
      .filter((page) => page.frame !== "bare" && !page.path.includes("$") && (!page.needs || can(...page.needs)))
      .filter((page) => Object.values(page.title).some((title) => title.toLocaleLowerCase().includes(needle)))
      .map((page) => ({
        id: page.path,
        group: t("palette.pages"),
        name: page.title[language],
        icon: navigation.find((entry) => entry.path === page.path)?.icon,
        go: { path: page.path },
      }));
  }
}

/** The groups with the best fit stand first: what is called so, then what has it in its name, then the rest. */
function nearestFirst(hits: readonly PaletteHit[], text: string): PaletteHit[] {
  const wanted = text.toLocaleLowerCase();
  const best = new Map<string, number>();
  for (const { group, name } of hits) {
    const own = name.toLocaleLowerCase();
    const fit = own === wanted ? 0 : own.includes(wanted) ? 1 : 2;
    best.set(group, Math.min(best.get(group) ?? fit, fit));
  }
  return hits.toSorted((a, b) => best.get(a.group)! - best.get(b.group)!);
}

/** All that can be searched, or with a verb only what the act can take. */
function sourcesOf(readable: readonly UiModule[], acts: readonly PaletteAct[]): UiModule[] {
  if (acts.length === 0) return [...readable];
  return readable.filter((module) => module.acts?.some((act) => acts.includes(act)));
}

function useFound(sources: readonly UiModule[], name: string) {
  const language = useLanguage();
  return useQuery({
    queryKey: ["palette", language, sources.map((module) => module.name), name],
    enabled: name.length >= leastText,
    staleTime: 5_000,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) =>
      (await Promise.allSettled(sources.map((module) => module.search!.find(name, signal)))).flatMap((one) =>
        one.status === "fulfilled" ? one.value : [],
      ),
  });
}
