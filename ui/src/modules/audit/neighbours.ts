/** The entries before and after one that is open, as the list stands. */
export function neighboursOf(
  entries: readonly { id: string }[],
  id: string | undefined,
): { newer?: string; older?: string } {
  const index = entries.findIndex((item) => item.id === id);
  if (index < 0) return {};
  return { newer: entries[index - 1]?.id, older: entries[index + 1]?.id };
}
