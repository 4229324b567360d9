import { IconArrowDown, IconArrowUp } from "@tabler/icons-react";
import { memo, useLayoutEffect, useMemo, useRef, useState, type MouseEvent, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ColumnsMenu } from "./columns-menu";
import { fitColumns, hasWidths, type Column } from "./columns";
import type { DataTableProps, RowSelection, Sorting } from "./table-props";
import classes from "./data-table.module.css";
import { useDrawnIds } from "./phone-rows";
import { useDrawnRows } from "./use-drawn-rows";
import { useRowKeys } from "./use-row-keys";

const headHeight = 36;
const heights = { one: 40, two: 46, dense: 36, compact: 32 } as const;

type WideProps<Row> = Omit<DataTableProps<Row>, "selection"> & {
  selection: RowSelection | undefined;
  width: number;
  /** Where the list begins on the page. */
  top: number;
};

/** A real table: the column that names the row stays when it is scrolled sideways. */
export function WideRows<Row extends object>(props: WideProps<Row>) {
  const { label, rows, rowId, rowName, look, selection, menu, rowHeight = "one", width, sorting, onEdit } = props;
  const place = useRef<HTMLTableSectionElement>(null);
  const lines = look?.look.density === "compact" ? "compact" : rowHeight;
  const drawn = useDrawnRows(place, rows.length, heights[lines], props.top + headHeight, props.mostDrawn);
  const ids = rows.map(rowId);
  const acts = menu !== undefined || look !== undefined;
  const besides = { check: selection !== undefined, menu: acts };
  const fitted = fitColumns(props.columns, look?.look.columns ?? {}, width, besides);
  const shown = useSame(fitted.shown);
  const does = useRowDoes(props);
  const cells = fitted.shown.length + Number(besides.check) + Number(acts);
  useRowKeys({
    place,
    ids,
    reveal: drawn.reveal,
    toggle: selection?.toggle,
    onCreate: props.onCreate,
    onEdit: onEdit && ((id) => onEdit(rows[ids.indexOf(id)]!)),
  });
  useDrawnIds(drawn.indexes, ids, props.onDrawn);
  // A region that scrolls must be reachable by keyboard.
  /* eslint-disable jsx-a11y/no-noninteractive-tabindex */
  return (
    <div className={classes.scroll} role="region" aria-label={label} tabIndex={0}>
      <table
        className={classes.table}
        data-rows={lines}
        data-fixed={hasWidths(props.columns) || undefined}
        data-check={besides.check || undefined}
        data-sideways={fitted.least === undefined || fitted.least > width || undefined}
        style={{ minWidth: fitted.least }}
        aria-label={label}
        aria-rowcount={props.total + 1}
      >
        <thead>
          <tr>
            {selection && (
              <th className={classes.check}>
                <SelectPage ids={ids} selection={selection} />
              </th>
            )}
            {fitted.shown.map((column) => (
              <Head key={column.key} column={column} sorting={sorting} />
            ))}
            {acts && <MenuHead fitted={fitted} columns={props.columns} look={look} />}
          </tr>
        </thead>
        <tbody ref={place}>
          <Spacer height={drawn.above} cells={cells} />
          {drawn.indexes.map((index) => {
            const row = rows[index];
            if (row === undefined) return null;
            const id = ids[index]!;
            return (
              <WideRow
                key={id}
                row={row as object}
                id={id}
                index={index}
                name={rowName(row)}
                shown={shown as readonly Column<object>[]}
                chosen={selection?.ids.has(id)}
                current={id === props.current}
                menu={menu as ((row: object) => ReactNode) | undefined}
                acts={acts}
                does={does as RowDoes}
              />
            );
          })}
          <Spacer height={drawn.below} cells={cells} />
        </tbody>
      </table>
    </div>
  );
}

/* eslint-enable jsx-a11y/no-noninteractive-tabindex */

function Spacer({ height, cells }: { height: number; cells: number }) {
  if (height <= 0) return null;
  return (
    <tr aria-hidden className={classes.spacer}>
      <td colSpan={cells} style={{ height }} />
    </tr>
  );
}

interface RowDoes {
  opens: boolean;
  open: (row: object) => void;
  toggle: (id: string, range: boolean) => void;
  selectText: (name: string) => string;
}

interface WideRowProps {
  row: object;
  id: string;
  index: number;
  name: string;
  shown: readonly Column<object>[];
  /** Undefined where rows cannot be chosen. */
  chosen: boolean | undefined;
  current: boolean;
  menu: ((row: object) => ReactNode) | undefined;
  acts: boolean;
  does: RowDoes;
}

/** One row; it is drawn again only when something of its own has changed. */
const WideRow = memo(function WideRow(props: WideRowProps) {
  const { row, id, index, name, shown, chosen, current, menu, acts, does } = props;
  const open = does.opens ? (event: MouseEvent) => !hasOwnAct(event.target) && does.open(row) : undefined;
  return (
    <tr
      data-row={id}
      data-selected={chosen || current || undefined}
      data-opens={does.opens || undefined}
      aria-rowindex={index + 2}
      onClick={open}
    >
      {chosen !== undefined && (
        <td className={classes.check}>
          <input
            type="checkbox"
            className={classes.box}
            checked={chosen}
            onChange={(event) => does.toggle(id, (event.nativeEvent as PointerEvent).shiftKey === true)}
            aria-label={does.selectText(name)}
          />
        </td>
      )}
      {shown.map((column) => (
        <td key={column.key} data-align={column.align}>
          {column.cell(row)}
        </td>
      ))}
      {acts && <td className={classes.menu}>{menu?.(row)}</td>}
    </tr>
  );
});

/** What rows do, as one object that stays the same: handlers read the newest props only when they are called. */
function useRowDoes<Row extends object>({ onOpen, selection }: WideProps<Row>): RowDoes {
  const latest = useRef({ onOpen, selection });
  useLayoutEffect(() => {
    latest.current = { onOpen, selection };
  });
  const opens = onOpen !== undefined;
  const { t } = useTranslation("app");
  return useMemo(
    () => ({
      opens,
      open: (row) => latest.current.onOpen?.(row as Row),
      toggle: (id, range) => latest.current.selection?.toggle(id, range),
      selectText: (name) => t("table.select", { name }),
    }),
    [opens, t],
  );
}

/** The same columns as long as they are the same ones: fitting makes another list each time. */
function useSame<Item>(list: readonly Item[]): readonly Item[] {
  const [kept, setKept] = useState(list);
  if (kept === list || (kept.length === list.length && kept.every((item, at) => item === list[at]))) return kept;
  setKept(list);
  return list;
}

/** What is clicked for itself inside a row. */
function hasOwnAct(target: EventTarget): boolean {
  return target instanceof Element && target.closest("a, button, input, label") !== null;
}

function MenuHead<Row>({
  fitted,
  columns,
  look,
}: {
  fitted: ReturnType<typeof fitColumns<Row>>;
  columns: readonly Column<Row>[];
  look: DataTableProps<Row>["look"];
}) {
  const { t } = useTranslation("app");
  return (
    <th className={classes.menu}>
      {look ? (
        <ColumnsMenu columns={columns.slice(1)} shown={fitted.shown} noRoom={fitted.noRoom} own={look} />
      ) : (
        <span className="visually-hidden">{t("table.acts")}</span>
      )}
    </th>
  );
}

function Head<Row>({ column, sorting }: { column: Column<Row>; sorting?: Sorting }) {
  const { sort } = column;
  const current = sorting?.value?.replace(/^-/, "") === sort && sort !== undefined;
  const descending = current && sorting?.value?.startsWith("-");
  const Arrow = descending ? IconArrowDown : IconArrowUp;
  return (
    <th
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
          {current && <Arrow size={13} stroke={1.8} aria-hidden />}
        </button>
      ) : (
        <span className={column.quietHead ? "visually-hidden" : undefined}>{column.head}</span>
      )}
    </th>
  );
}

function SelectPage({ ids, selection }: { ids: readonly string[]; selection: RowSelection }) {
  const { t } = useTranslation("app");
  const chosen = ids.filter((id) => selection.ids.has(id)).length;
  const all = chosen === ids.length && ids.length > 0;
  return (
    <input
      type="checkbox"
      className={classes.box}
      checked={all}
      ref={(box) => {
        if (box) box.indeterminate = chosen > 0 && !all;
      }}
      onChange={() => selection.onChange(all ? new Set() : new Set(ids))}
      aria-label={t("table.selectPage")}
    />
  );
}
