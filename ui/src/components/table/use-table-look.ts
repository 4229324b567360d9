import { useLocalStorage } from "@mantine/hooks";
import { useCallback, useMemo } from "react";
import type { ColumnChoice } from "./columns";

export type Density = "comfortable" | "compact";

/** How somebody wants a table to look. Kept in this browser. */
export interface TableLook {
  columns: ColumnChoice;
  density: Density;
}

const usual: TableLook = { columns: {}, density: "comfortable" };

export interface OwnLook {
  look: TableLook;
  change: (part: Partial<TableLook>) => void;
}

/** The look of one table, by its name. */
export function useTableLook(table: string): OwnLook {
  const [stored, store] = useLocalStorage<Partial<TableLook>>({
    key: `panel-table-${table}`,
    defaultValue: usual,
    getInitialValueInEffect: false,
  });
  const look = useMemo(() => ({ ...usual, ...stored }), [stored]);
  const change = useCallback((part: Partial<TableLook>) => store((old) => ({ ...old, ...part })), [store]);
  return { look, change };
}
