import { saveFile } from "@/components/screen/save-file";

/** A column of a file: its head, and its value in a row. */
export type CsvField<Row> = [head: string, value: (row: Row) => string | number];

/** Rows as CSV; a value that a spreadsheet would run as a formula is disarmed. */
export function csvOf<Row>(fields: readonly CsvField<Row>[], rows: readonly Row[]): string {
  const lines = rows.map((row) => fields.map(([, value]) => cell(String(value(row)))).join(","));
  return [fields.map(([head]) => head).join(","), ...lines].join("\r\n");
}

function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function saveCsv<Row>(name: string, fields: readonly CsvField<Row>[], rows: readonly Row[]): void {
  saveFile(name, csvOf(fields, rows), "text/csv");
}
