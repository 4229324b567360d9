import { Checkbox, Table } from "@mantine/core";
import { IconArrowDown, IconArrowUp } from "@tabler/icons-react";
import {
  columnVisibilityFeature,
  createColumnHelper,
  tableFeatures,
  useTable,
  type ColumnDef,
} from "@tanstack/react-table";
import { useMemo, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useFormat } from "@/text/use-format";
import { Action } from "@/components/action/action";
import classes from "./data-table.module.css";
import { usePhone } from "@/components/screen/use-phone";

const features = tableFeatures({ columnVisibilityFeature });

/** One column: its head, its cell, and how it may be sorted. */
export interface Column<Row> {
  key: string;
  head: string;
  cell: (row: Row) => ReactNode;
  align?: "right";
  width?: number;
  /** The word the server sorts by. */
  sort?: string;
  /** Not drawn as a word, but read to screen readers. */
  quietHead?: boolean;
}

export interface Sorting {
  /** `name` ascending, `-name` descending. */
  value: string | undefined;
  onChange: (value: string) => void;
}

export interface Selection {
  ids: ReadonlySet<string>;
  onChange: (ids: ReadonlySet<string>) => void;
}

export interface DataTableProps<Row> {
  label: string;
  rows: readonly Row[];
  columns: Column<Row>[];
  rowId: (row: Row) => string;
  rowName: (row: Row) => string;
  sorting?: Sorting;
  selection?: Selection;
  hidden?: Record<string, boolean>;
  /** The row that is open beside the table. */
  current?: string;
  /** A click anywhere in the row; the keyboard takes the link that the row has. */
  onOpen?: (row: Row) => void;
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
}

/** A list of things: a table on a wide screen, two-line cards on a phone, more rows by a cursor. */
export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const phone = usePhone();
  const { rows, total, onMore, loadingMore, empty, bar } = props;
  const { t } = useTranslation("app");
  const format = useFormat();
  return (
    <div className={classes.frame}>
      {bar}
      {rows.length === 0 ? empty : phone ? <PhoneRows {...props} /> : <WideRows {...props} />}
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

function PhoneRows<Row extends object>({ label, rows, rowId, phone, menu }: DataTableProps<Row>) {
  return (
    <ul aria-label={label}>
      {rows.map((row) => (
        <li key={rowId(row)} className={classes.phoneRow}>
          <div className={classes.phoneBody}>{phone(row)}</div>
          {menu?.(row)}
        </li>
      ))}
    </ul>
  );
}

function WideRows<Row extends object>(props: DataTableProps<Row>) {
  const {
    label,
    rows,
    rowId,
    rowName,
    sorting,
    selection,
    menu,
    rowHeight = "one",
    hidden = {},
    current,
    onOpen,
  } = props;
  const { t } = useTranslation("app");
  const columns = useTableColumns(props.columns);
  const data = rows as Row[];
  const table = useTable({ features, columns, data, getRowId: rowId, state: { columnVisibility: hidden } });
  const known = new Map(props.columns.map((column) => [column.key, column]));
  // A region that scrolls must be reachable by keyboard.
  /* eslint-disable jsx-a11y/no-noninteractive-tabindex */
  return (
    <div className={classes.scroll} role="region" aria-label={label} tabIndex={0}>
      <Table className={classes.table} data-rows={rowHeight} aria-label={label}>
        <Table.Thead>
          <Table.Tr>
            {selection && (
              <Table.Th className={classes.check}>
                <SelectPage rows={rows} rowId={rowId} selection={selection} />
              </Table.Th>
            )}
            {table.getVisibleLeafColumns().map((column) => {
              const own = known.get(column.id)!;
              return <Head key={column.id} column={own} sorting={sorting} />;
            })}
            {menu && (
              <Table.Th className={classes.menu}>
                <span className="visually-hidden">{t("table.acts")}</span>
              </Table.Th>
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {table.getRowModel().rows.map((row) => (
            <Table.Tr
              key={row.id}
              data-selected={(selection?.ids.has(row.id) ?? row.id === current) || undefined}
              data-opens={onOpen !== undefined || undefined}
              onClick={onOpen && ((event) => !hasOwnAct(event.target) && onOpen(row.original))}
            >
              {selection && (
                <Table.Td className={classes.check}>
                  <Checkbox
                    size="xs"
                    checked={selection.ids.has(row.id)}
                    onChange={() => selection.onChange(toggled(selection.ids, row.id))}
                    aria-label={t("table.select", { name: rowName(row.original) })}
                  />
                </Table.Td>
              )}
              {row.getVisibleCells().map((cell) => (
                <Table.Td key={cell.id} data-align={known.get(cell.column.id)?.align}>
                  {known.get(cell.column.id)?.cell(row.original)}
                </Table.Td>
              ))}
              {menu && <Table.Td className={classes.menu}>{menu(row.original)}</Table.Td>}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

/* eslint-enable jsx-a11y/no-noninteractive-tabindex */

/** What is clicked for itself inside a row. */
function hasOwnAct(target: EventTarget): boolean {
  return target instanceof Element && target.closest("a, button, input, label") !== null;
}

function useTableColumns<Row extends object>(columns: Column<Row>[]): ColumnDef<typeof features, Row>[] {
  return useMemo(() => {
    const helper = createColumnHelper<typeof features, Row>();
    return columns.map((column) => helper.display({ id: column.key }));
  }, [columns]);
}

function Head<Row>({ column, sorting }: { column: Column<Row>; sorting?: Sorting }) {
  const { sort } = column;
  const current = sorting?.value?.replace(/^-/, "") === sort && sort !== undefined;
  const descending = current && sorting?.value?.startsWith("-");
  return (
    <Table.Th
      data-align={column.align}
      style={column.width ? { width: column.width } : undefined}
      aria-sort={current ? (descending ? "descending" : "ascending") : undefined}
      data-current={current || undefined}
    >
      {sort && sorting ? (
        <button
          type="button"
          className={classes.sort}
          onClick={() => sorting.onChange(current && !descending ? `-${sort}` : sort)}
        >
          {column.head}
          {current &&
            (descending ? (
              <IconArrowDown size={13} stroke={1.8} aria-hidden />
            ) : (
              <IconArrowUp size={13} stroke={1.8} aria-hidden />
            ))}
        </button>
      ) : (
        <span className={column.quietHead ? "visually-hidden" : undefined}>{column.head}</span>
      )}
    </Table.Th>
  );
}

function SelectPage<Row>({
  rows,
  rowId,
  selection,
}: {
  rows: readonly Row[];
  rowId: (row: Row) => string;
  selection: Selection;
}) {
  const { t } = useTranslation("app");
  const ids = rows.map(rowId);
  const chosen = ids.filter((id) => selection.ids.has(id)).length;
  const all = chosen === ids.length && ids.length > 0;
  return (
    <Checkbox
      size="xs"
      checked={all}
      indeterminate={chosen > 0 && !all}
      onChange={() => selection.onChange(all ? new Set() : new Set(ids))}
      aria-label={t("table.selectPage")}
    />
  );
}

function toggled(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(ids);
  if (!next.delete(id)) next.add(id);
  return next;
}

/** The bar on top of a table while rows are chosen; it never covers them. */
export function SelectionBar({
  count,
  onClear,
  children,
}: {
  count: number;
  onClear: () => void;
  children: ReactNode;
}) {
  const { t } = useTranslation("app");
  if (count === 0) return null;
  return (
    <div className={classes.bar} role="region" aria-label={t("table.selection")}>
      <span>
        <b>{t("table.selected", { count })}</b> {t("table.onPage")}
      </span>
      <div className={classes.barActs}>
        {children}
        <Action size="bar" kind="ghost" onClick={onClear}>
          {t("table.clear")}
        </Action>
      </div>
    </div>
  );
}

/** A name that identifies, with its place on the same line. */
export function NameCell({ children, place }: { children: ReactNode; place?: ReactNode }) {
  return (
    <span className={classes.name}>
      <span className="strong">{children}</span>
      {place !== undefined && <span className={classes.place}>{place}</span>}
    </span>
  );
}
