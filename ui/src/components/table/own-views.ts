import { useLocalStorage } from "@mantine/hooks";
import { useCallback } from "react";
import { useAccess } from "@/api/access";
import type { TableLook } from "./use-table-look";

/** A list as somebody wants to find it again: what its address says, and how it looks. */
export interface OwnView {
  name: string;
  search: Record<string, string>;
  look?: TableLook;
}

/** The views that an account has kept of one list, in this browser. A name that is there already is replaced. */
export function useOwnViews(table: string) {
  const { account } = useAccess();
  const [views, store] = useLocalStorage<OwnView[]>({
    key: `panel-views-${table}-${account?.id ?? "none"}`,
    defaultValue: [],
    getInitialValueInEffect: false,
  });
  const keep = useCallback(
    (view: OwnView) => store((old) => [...old.filter(({ name }) => name !== view.name), view]),
    [store],
  );
  const remove = useCallback((name: string) => store((old) => old.filter((view) => view.name !== name)), [store]);
  return { views, keep, remove };
}

/** Whether the address shows this view. */
export function shows(view: OwnView, search: Record<string, unknown>): boolean {
  const set = Object.entries(search).filter(([, value]) => value !== undefined && value !== "");
  return (
    set.length === Object.keys(view.search).length && set.every(([key, value]) => view.search[key] === String(value))
  );
}
