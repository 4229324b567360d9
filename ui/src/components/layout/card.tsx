import type { ReactNode } from "react";
import classes from "./card.module.css";

/** A bordered surface with an optional head: title, quiet remark, and something at the right. */
export function Card({
  title,
  aside,
  right,
  children,
  flush = false,
  lit = false,
  label,
  className,
}: {
  title?: ReactNode;
  aside?: ReactNode;
  right?: ReactNode;
  children?: ReactNode;
  flush?: boolean;
  lit?: boolean;
  label?: string;
  className?: string;
}) {
  return (
    <section
      className={[classes.card, className].filter(Boolean).join(" ")}
      data-lit={lit || undefined}
      aria-label={label}
    >
      {title !== undefined && (
        <div className={classes.head}>
          <h2 className={classes.title}>{title}</h2>
          {aside !== undefined && <span className={classes.aside}>{aside}</span>}
          {right !== undefined && <div className={classes.right}>{right}</div>}
        </div>
      )}
      {children !== undefined && (
        <div className={classes.body} data-flush={flush || undefined} data-headed={title !== undefined || undefined}>
          {children}
        </div>
      )}
    </section>
  );
}

/** Name and value pairs in two columns. */
export function Facts({
  items,
  nameWidth = 108,
}: {
  items: { name: string; value: ReactNode; mono?: boolean }[];
  nameWidth?: number;
}) {
  return (
    <dl className={classes.facts} style={{ gridTemplateColumns: `${nameWidth}px minmax(0, 1fr)` }}>
      {items.map((item) => (
        <div key={item.name} className={classes.fact}>
          <dt>{item.name}</dt>
          <dd className={item.mono ? "mono" : undefined}>{item.value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A row of figures in one card; each says what it is compared with. */
export function Figures({ children }: { children: ReactNode }) {
  return <div className={classes.figures}>{children}</div>;
}

export function Figure({
  name,
  value,
  of,
  note,
  extra,
  lead = false,
}: {
  name: string;
  value: ReactNode;
  of?: ReactNode;
  note?: ReactNode;
  extra?: ReactNode;
  lead?: boolean;
}) {
  return (
    <div className={classes.figure} data-lead={lead || undefined}>
      <div className={classes.figureName}>{name}</div>
      <div className={classes.figureLine}>
        <span className={`${classes.figureValue} num`}>{value}</span>
        {of !== undefined && <span className={classes.figureOf}>{of}</span>}
        {extra !== undefined && <span className={classes.figureExtra}>{extra}</span>}
      </div>
      <div className={classes.figureNote}>{note ?? " "}</div>
    </div>
  );
}

/** A list whose rows are divided by hairlines, inside a flush card. */
export function Rows({ children, label }: { children: ReactNode; label?: string }) {
  return (
    <ul className={classes.rows} aria-label={label}>
      {children}
    </ul>
  );
}

export function Row({ children, className }: { children: ReactNode; className?: string }) {
  return <li className={[classes.row, className].filter(Boolean).join(" ")}>{children}</li>;
}
