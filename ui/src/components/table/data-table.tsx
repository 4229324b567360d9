import { useElementSize } from "@mantine/hooks";
import { useRef } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { usePhone } from "@/components/screen/use-phone";
import { useFormat } from "@/text/use-format";
import classes from "./data-table.module.css";
import { PhoneRows } from "./phone-rows";
import { rangeToggled, toggled } from "./selection";
import type { DataTableProps, RowSelection } from "./table-props";
import { WideRows } from "./wide-rows";

export type { Column } from "./columns";
export type { Selection } from "./selection";
export type { DataTableProps, Sorting } from "./table-props";

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
