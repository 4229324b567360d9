import { Checkbox } from "@mantine/core";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { DataTableProps, RowSelection } from "./table-props";
import classes from "./data-table.module.css";
import { useDrawnRows } from "./use-drawn-rows";
import { useRowKeys } from "./use-row-keys";

const rowHeight = 64;

/** Two-line cards. */
export function PhoneRows<Row extends object>(
  props: Omit<DataTableProps<Row>, "selection"> & { selection: RowSelection | undefined; top: number },
) {
  const { label, rows, rowId, rowName, phone, menu, selection, onCreate, onDrawn, mostDrawn } = props;
  const { t } = useTranslation("app");
  const place = useRef<HTMLUListElement>(null);
  const drawn = useDrawnRows(place, rows.length, rowHeight, props.top, mostDrawn);
  const ids = rows.map(rowId);
  useRowKeys({ place, ids, reveal: drawn.reveal, toggle: selection?.toggle, onCreate });
  useDrawnIds(drawn.indexes, ids, onDrawn);
  return (
    <ul aria-label={label} ref={place} style={{ paddingTop: drawn.above, paddingBottom: drawn.below }}>
      {drawn.indexes.map((index) => {
        const row = rows[index];
        if (row === undefined) return null;
        const id = ids[index]!;
        return (
          <li
            key={id}
            className={classes.phoneRow}
            data-row={id}
            data-index={index}
            ref={drawn.measure}
            data-selected={selection?.ids.has(id) || undefined}
          >
            {selection && (
              <Checkbox
                className={classes.phoneCheck}
                checked={selection.ids.has(id)}
                onChange={() => selection.toggle(id, false)}
                aria-label={t("table.select", { name: rowName(row) })}
              />
            )}
            <div className={classes.phoneBody}>{phone(row)}</div>
            {menu?.(row)}
          </li>
        );
      })}
    </ul>
  );
}

/** Tells which rows are in the document whenever that changes. */
export function useDrawnIds(
  indexes: readonly number[],
  ids: readonly string[],
  onDrawn: ((ids: readonly string[]) => void) | undefined,
): void {
  const text = indexes.map((index) => ids[index]).join();
  useEffect(() => {
    onDrawn?.(text === "" ? [] : text.split(","));
  }, [text, onDrawn]);
}
