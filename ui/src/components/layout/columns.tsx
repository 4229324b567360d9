import type { ReactNode } from "react";
import classes from "./columns.module.css";

/**
 * A page in two columns: what it is about, and beside it what belongs to it. On a narrow window one stands below the
 * other.
 */
export function Columns({
  children,
  side,
  width = "normal",
  sideFirst = false,
}: {
  children: ReactNode;
  side: ReactNode;
  width?: "narrow" | "normal" | "wide";
  sideFirst?: boolean;
}) {
  return (
    <div className={classes.columns} data-side={width} data-side-first={sideFirst || undefined}>
      <Stack>{children}</Stack>
      <Stack>{side}</Stack>
    </div>
  );
}

/** Cards below each other. */
export function Stack({ children }: { children: ReactNode }) {
  return <div className={classes.stack}>{children}</div>;
}
