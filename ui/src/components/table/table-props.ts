import type { ReactNode } from "react";
import type { Column } from "./columns";
import type { RowsFile } from "./save-rows";
import type { Selection } from "./selection";
import type { OwnLook } from "./use-table-look";

export interface Sorting {
  /** `name` ascending, `-name` descending. */
  value: string | undefined;
  onChange: (value: string) => void;
}

export interface DataTableProps<Row> {
  label: string;
  rows: readonly Row[];
  columns: Column<Row>[];
  rowId: (row: Row) => string;
  rowName: (row: Row) => string;
  sorting?: Sorting;
  selection?: Selection;
  /** Which columns, and how dense: with it the table has a menu for both. */
  look?: OwnLook;
  /** The row that is open beside the table. */
  current?: string;
  /** A click anywhere in the row; the keyboard takes the link that the row has. */
  onOpen?: (row: Row) => void;
  /** What the key `e` does on a row, and `c` on the page. */
  onEdit?: (row: Row) => void;
  onCreate?: () => void;
  rowHeight?: "one" | "two" | "dense";
  /** The row menu, shown on hover and focus. */
  menu?: (row: Row) => ReactNode;
  /** The phone form: two lines. The first link in it opens the row. */
  phone: (row: Row) => ReactNode;
  total: number;
  onMore?: () => void;
  loadingMore?: boolean;
  bar?: ReactNode;
  /** With it, all that matches can be saved as CSV. */
  file?: RowsFile<Row>;
  empty?: ReactNode;
  /** Of more rows than this only those in sight are drawn. */
  mostDrawn?: number;
  /** Told the ids of the rows that are in the document, for figures that move only where somebody looks. */
  onDrawn?: (ids: readonly string[]) => void;
}

/** What rows of both forms share: choosing a row, and all up to it with Shift. */
export interface RowSelection extends Selection {
  toggle: (id: string, range: boolean) => void;
}
