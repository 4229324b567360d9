import type { ReactNode } from "react";
import classes from "./name-cell.module.css";

/** A name that identifies, with its place on the same line. A long one is cut, and told in full by `title`. */
export function NameCell({ children, place, title }: { children: ReactNode; place?: ReactNode; title?: string }) {
  return (
    <span className={classes.name} title={title}>
      <span className={`strong ${classes.own}`}>{children}</span>
      {place !== undefined && <span className={classes.place}>{place}</span>}
    </span>
  );
}
