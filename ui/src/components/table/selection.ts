/** What is chosen in a table, and how everything that matches the filter is chosen, beyond the rows that are loaded. */
export interface Selection {
  ids: ReadonlySet<string>;
  onChange: (ids: ReadonlySet<string>) => void;
}

export function toggled(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(ids);
  if (!next.delete(id)) next.add(id);
  return next;
}

/** All rows from the one that was chosen before to this one take the state that this one gets. */
export function rangeToggled(
  ids: ReadonlySet<string>,
  order: readonly string[],
  from: string | undefined,
  to: string,
): ReadonlySet<string> {
  const [start, end] = [from === undefined ? -1 : order.indexOf(from), order.indexOf(to)];
  if (start < 0 || end < 0) return toggled(ids, to);
  const next = new Set(ids);
  const choose = !ids.has(to);
  for (const id of order.slice(Math.min(start, end), Math.max(start, end) + 1)) {
    if (choose) next.add(id);
    else next.delete(id);
  }
  return next;
}
