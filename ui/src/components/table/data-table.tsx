import { useLayoutEffect, useRef, useState, type RefObject } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { usePhone } from "@/components/screen/use-phone";
import { useFormat } from "@/text/use-format";
import classes from "./data-table.module.css";
import { PhoneRows } from "./phone-rows";
import { SaveRows } from "./save-rows";
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
  const { rows, total, onMore, loadingMore, empty, bar, file } = props;
  const { t } = useTranslation("app");
  const format = useFormat();
  const phone = usePhone();
  const frame = useRef<HTMLDivElement>(null);
  const place = usePlace(frame);
  const cards = phone || (place !== undefined && place.width > 0 && place.width < narrowest);
  const selection = useRowSelection(props);
  const part = rows.length < total;
  const saves = file !== undefined && rows.length > 0;
  return (
    <div className={classes.frame} ref={frame}>
      {bar}
      {rows.length === 0 ? (
        empty
      ) : place === undefined ? null : cards ? (
        <PhoneRows {...props} selection={selection} top={place.top} />
      ) : (
        <WideRows {...props} selection={selection} width={place.width} top={place.top} />
      )}
      {(part || saves) && (
        <div className={classes.more}>
          {part && (
            <span className="dim num">
              {t("table.shown", { shown: format.number(rows.length), total: format.number(total) })}
            </span>
          )}
          {part && onMore && (
            <Action size="bar" onClick={onMore} busy={loadingMore}>
              {t("table.more")}
            </Action>
          )}
          {saves && <SaveRows file={file} {...{ rows, total, onMore, loadingMore }} />}
        </div>
      )}
    </div>
  );
}

/** Where the list stands on the page. Rows are drawn when it is measured, once and as they fit. */
function usePlace(frame: RefObject<HTMLDivElement | null>): { width: number; top: number } | undefined {
  const [place, setPlace] = useState<{ width: number; top: number }>();
  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return;
    const measure = () => {
      const width = element.clientWidth;
      const top = Math.round(element.getBoundingClientRect().top + window.scrollY);
      setPlace((old) => (old?.width === width ? old : { width, top }));
    };
    measure();
    const watcher = new ResizeObserver(measure);
    watcher.observe(element);
    return () => watcher.disconnect();
  }, [frame]);
  return place;
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
