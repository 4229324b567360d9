import { useElementSize } from "@mantine/hooks";
import { useRef, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { usePhone } from "@/components/screen/use-phone";
import { useFormat } from "@/text/use-format";
import type { Column } from "./columns";
import classes from "./data-table.module.css";
import { PhoneRows } from "./phone-rows";
import { rangeToggled, toggled, type Selection } from "./selection";
import type { OwnLook } from "./use-table-look";
import { WideRows } from "./wide-rows";

export type { Column } from "./columns";
export type { Selection } from "./selection";

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
  empty?: ReactNode;
  /** Told the ids of the rows that are in the document, for figures that move only where somebody looks. */
  onDrawn?: (ids: readonly string[]) => void;
}

/** What rows of both forms share: choosing a row, and all up to it with Shift. */
export interface RowSelection extends Selection {
  toggle: (id: string, range: boolean) => void;
}

/** Columns do not fit below this; a row is two lines then, as on a phone. */
const narrowest = 560;

/** A list of things: a table where there is room, two-line cards where not, more rows by a cursor. */
export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const { rows, total, onMore, loadingMore, empty, bar } = props;
  const { t } = useTranslation("app");
  const format = useFormat();
  const phone = usePhone();
  const { ref, width } = useElementSize();
  const cards = phone || (width > 0 && width < narrowest);
  const selection = useRowSelection(props);
  return (
    <div className={classes.frame} ref={ref}>
      {bar}
      {rows.length === 0 ? (
        empty
      ) : cards ? (
        <PhoneRows {...props} selection={selection} />
      ) : (
        <WideRows {...props} selection={selection} width={width} />
      )}
      {rows.length < total && (
        <div className={classes.more}>
          <span className="dim num">
            {t("table.shown", { shown: format.number(rows.length), total: format.number(total) })}
          </span>
          {onMore && (
            <Action size="bar" onClick={onMore} busy={loadingMore}>
              {t("table.more")}
            </Action>
          )}
        </div>
      )}
    </div>
  );
}

function useRowSelection<Row>({ rows, rowId, selection }: DataTableProps<Row>): RowSelection | undefined {
  const anchor = useRef<string>(undefined);
  if (!selection) return undefined;
  const toggle = (id: string, range: boolean) => {
    selection.onChange(
      range ? rangeToggled(selection.ids, rows.map(rowId), anchor.current, id) : toggled(selection.ids, id),
    );
    anchor.current = id;
  };
  return { ...selection, toggle };
}
