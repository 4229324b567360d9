import type { ReactNode } from "react";

/** One column: its head, its cell, and how it may be sorted. */
export interface Column<Row> {
  key: string;
  head: string;
  cell: (row: Row) => ReactNode;
  align?: "right";
  /** Pixels. When every column but the first has one, columns keep their place while rows are scrolled. */
  width?: number;
  /** The word the server sorts by. */
  sort?: string;
  /** Not drawn as a word, but read to screen readers. */
  quietHead?: boolean;
  /** Shown only when somebody chooses it. */
  extra?: boolean;
  /** Which columns go first when there is no room: the highest number. Without one, the column always stays. */
  drop?: number;
}

/** What somebody chose to see or not; a column without a choice is shown where there is room. */
export type ColumnChoice = Readonly<Record<string, boolean>>;

const narrowestName = 176;
const checkWidth = 40;
const menuWidth = 44;

export interface Fitted<Row> {
  shown: Column<Row>[];
  /** Left out only because the window is too narrow. */
  noRoom: Column<Row>[];
  /** Width below which the table is scrolled sideways; undefined where columns take what they need. */
  least: number | undefined;
}

/** The columns for a width: chosen ones always, the others as long as there is room. `width` 0 is not yet measured. */
export function fitColumns<Row>(
  columns: readonly Column<Row>[],
  choice: ColumnChoice,
  width: number,
  besides: { check: boolean; menu: boolean },
): Fitted<Row> {
  const wanted = columns.filter((column) => choice[column.key] ?? !column.extra);
  if (!hasWidths(columns)) return { shown: wanted, noRoom: [], least: undefined };
  const fixed =
    (besides.check ? checkWidth : 0) + (besides.menu ? menuWidth : 0) + (columns[0]?.width ?? narrowestName);
  const widthOf = (kept: readonly Column<Row>[]) =>
    kept.reduce((sum, column) => sum + (column === columns[0] ? 0 : column.width!), fixed);
  const noRoom: Column<Row>[] = [];
  let shown = wanted;
  const droppable = wanted
    .filter((column) => column.drop !== undefined && choice[column.key] !== true)
    .sort((a, b) => b.drop! - a.drop!);
  for (const column of width > 0 ? droppable : []) {
    if (widthOf(shown) <= width) break;
    shown = shown.filter((kept) => kept !== column);
    noRoom.push(column);
  }
  return { shown, noRoom, least: widthOf(shown) };
}

export function hasWidths<Row>(columns: readonly Column<Row>[]): boolean {
  return columns.length > 1 && columns.slice(1).every((column) => column.width !== undefined);
}
