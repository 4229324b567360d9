import { useQueries, useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useMemo, type ComponentType } from "react";
import { ErrorBoundary } from "react-error-boundary";
import { licenseQuery, useAccess } from "@/api/access";
import { useSession } from "@/api/session";
import { ProblemView } from "@/components/state/problem-view";
import { FeatureBlocked, Skeleton } from "@/components/state/states";
import type { Area, SlotEntry, SlotName, TargetPickerProps, UiModule } from "@/module";
import { useLanguage } from "@/text/use-format";
import { useModules } from "./contributions";

/** The slots of the screens, with what each gives to the parts that stand in it. */
interface SlotProps extends Record<SlotName, object> {
  nodeTabs: { id: string };
  nodeParts: { id: string };
  flowTabs: { id: string };
  clientParts: { id: string };
  flowColumns: { id: string; ids: readonly string[] };
  targetPickers: TargetPickerProps;
  settings: object;
}

type Entries<Slot extends keyof SlotProps> = SlotEntry<SlotProps[Slot]>[];

/** What modules put into a slot, in its order, without what the account may not read and what has nothing to show. */
export function useSlot<Slot extends keyof SlotProps>(slot: Slot): Entries<Slot> {
  const modules = useModules();
  const { can } = useAccess();
  const allowed = entriesOf(modules, slot).filter((entry) => !entry.needs || can(...entry.needs));
  const asking = allowed.flatMap(({ where }) => (where ? [where] : []));
  const there = useQueries({ queries: asking.map((where) => ({ ...where, staleTime: Infinity })) });
  return allowed.filter(({ where }) => !where || there[asking.indexOf(where)]?.data === true);
}

export function entriesOf<Slot extends keyof SlotProps>(modules: readonly UiModule[], slot: Slot): Entries<Slot> {
  const entries = modules.flatMap((module) => (module[slot] ?? []) as Entries<Slot>);
  return entries.sort((a, b) => a.order - b.order || a.key.localeCompare(b.key));
}

/** Draws one entry: loaded when it is first shown, and alone in its fault. */
export function SlotPart<Props extends object>({ entry, props }: { entry: SlotEntry<Props>; props: Props }) {
  const language = useLanguage();
  const license = useQuery({ ...licenseQuery, enabled: useSession().token !== undefined }).data;
  const Part = partOf(entry) as ComponentType<object>;
  if (entry.feature && license && !license.read_only && license.features.blocked.includes(entry.feature)) {
    return <FeatureBlocked name={entry.label[language]} plan={license.plan ?? ""} />;
  }
  return (
    <ErrorBoundary
      resetKeys={[entry]}
      fallbackRender={({ error, resetErrorBoundary }) => <ProblemView error={error} onRetry={resetErrorBoundary} />}
    >
      <Suspense fallback={<Skeleton rows={4} />}>
        <Part {...props} />
      </Suspense>
    </ErrorBoundary>
  );
}

const parts = new WeakMap<object, ComponentType<never>>();

/** A lazy component must stay the same object, or every drawing would load and mount it anew. */
function partOf<Props>(entry: SlotEntry<Props>): ComponentType<Props> {
  const known = parts.get(entry) ?? (lazy(entry.load) as ComponentType<never>);
  parts.set(entry, known);
  return known as ComponentType<Props>;
}

/** The area of each family of permissions or each feature; what a module says of itself goes before what others say. */
export function useAreas(kind: "permissions" | "features"): Readonly<Record<string, Area>> {
  const modules = useModules();
  return useMemo(() => {
    const declared = modules.map((module) => ({ name: module.name, areas: module.areas?.[kind] ?? {} }));
    const own = declared.map(({ name, areas }) => (areas[name] ? { [name]: areas[name] } : {}));
    return Object.assign({}, ...declared.map(({ areas }) => areas), ...own);
  }, [modules, kind]);
}
