interface Page<Row> {
  items: readonly Row[] | null;
  next_cursor: string | null;
}

const most = 500;

/** Reads a list to its end, page by page, for what concerns all of it: a file, a selection of everything. */
export async function everyPage<Row>(read: (cursor: string | undefined) => Promise<Page<Row>>): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < most; page++) {
    const answered = await read(cursor);
    rows.push(...(answered.items ?? []));
    if (!answered.next_cursor) return rows;
    cursor = answered.next_cursor;
  }
  throw new Error("the list is too long to be read at once");
}
