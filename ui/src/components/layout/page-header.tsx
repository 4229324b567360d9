import { IconLock } from "@tabler/icons-react";
import type { ReactNode } from "react";
import classes from "./page-header.module.css";

/** The head of a page: title, states beside it, one quiet line, acts at the right and why they may be closed. */
export function PageHeader({
  title,
  beside,
  meta,
  actions,
  closed,
}: {
  title: ReactNode;
  beside?: ReactNode;
  meta?: ReactNode;
  actions?: ReactNode;
  closed?: string;
}) {
  return (
    <header className={classes.header}>
      <div className={classes.words}>
        <div className={classes.line}>
          <h1 className={classes.title}>{title}</h1>
          {beside}
        </div>
        {meta !== undefined && <div className={classes.meta}>{meta}</div>}
      </div>
      <div className={classes.actions}>
        {closed !== undefined && (
          <span className={classes.closed}>
            <IconLock size={14} stroke={1.6} aria-hidden />
            {closed}
          </span>
        )}
        {actions}
      </div>
    </header>
  );
}

/** Facts of the quiet line, divided by hairlines. */
export function Meta({ children }: { children: ReactNode }) {
  return <span className={classes.fact}>{children}</span>;
}
