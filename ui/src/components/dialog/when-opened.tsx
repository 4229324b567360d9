import { useLayoutEffect, useState, type ReactNode } from "react";

/**
 * Draws a dialog for the first time when it is opened: a page has many that nobody opens. It is made closed and opened
 * at once, so that it learns where the focus was and gives it back, and stays to close as it likes.
 */
export function WhenOpened({ opened, children }: { opened: boolean; children: (opened: boolean) => ReactNode }) {
  const [made, setMade] = useState(opened);
  const [shown, setShown] = useState(false);
  if (opened && !made) setMade(true);
  useLayoutEffect(() => setShown(opened), [opened]);
  return made && children(opened && shown);
}
