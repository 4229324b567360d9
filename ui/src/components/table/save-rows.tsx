import { IconDownload } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { toastFailed } from "@/components/state/toast";
import { saveCsv, type CsvField } from "./csv";

/** What a file of rows is called, without its ending, and what it tells of each row. */
export interface RowsFile<Row> {
  name: string;
  fields: readonly CsvField<Row>[];
}

interface SaveRowsProps<Row> {
  file: RowsFile<Row>;
  rows: readonly Row[];
  total: number;
  onMore?: () => void;
  loadingMore?: boolean;
}

/** Saves all that matches as a file: what is not loaded yet is read first, page by page. */
export function SaveRows<Row>({ file, rows, total, onMore, loadingMore = false }: SaveRowsProps<Row>) {
  const { t } = useTranslation("app");
  const [wanted, setWanted] = useState(false);
  const asked = useRef<{ known: number; busy: boolean }>(undefined);
  useEffect(() => {
    if (!wanted) return;
    const page = asked.current;
    if (page && loadingMore) page.busy = true;
    const failed = page !== undefined && page.busy && !loadingMore && rows.length === page.known;
    const waits = page !== undefined && rows.length === page.known && !failed;
    if (waits || loadingMore) return;
    asked.current = undefined;
    if (!failed && rows.length < total && onMore) {
      asked.current = { known: rows.length, busy: false };
      onMore();
      return;
    }
    setWanted(false);
    if (failed) toastFailed(t("table.saveFailed"), t("table.saveStopped"));
    else saveCsv(`${file.name}.csv`, file.fields, rows);
  }, [wanted, loadingMore, rows, total, onMore, file, t]);
  return (
    <Action size="bar" kind="ghost" icon={IconDownload} busy={wanted} onClick={() => setWanted(true)}>
      CSV
    </Action>
  );
}
