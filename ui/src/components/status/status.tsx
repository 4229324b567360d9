import type { ReactNode } from "react";
import { Glyph, toneOf, type GlyphKind, type Tone } from "./glyph";
import classes from "./status.module.css";

const normal = new Set<GlyphKind>(["in-sync", "healthy", "no-data", "never", "skipped"]);

/** A state as glyph and word. A normal state is quiet; only an abnormal one gets a tinted ground. */
export function Status({
  kind,
  children,
  tone,
  quiet,
  inTable = false,
}: {
  kind: GlyphKind;
  children: ReactNode;
  tone?: Tone;
  quiet?: boolean;
  inTable?: boolean;
}) {
  const isQuiet = quiet ?? normal.has(kind);
  return (
    <span
      className={classes.status}
      data-tone={tone ?? toneOf(kind)}
      data-quiet={isQuiet || undefined}
      data-in-table={(inTable && !isQuiet) || undefined}
    >
      <Glyph kind={kind} tone={tone} />
      <span>{children}</span>
    </span>
  );
}

/** A small bordered word: a tag or a role. */
export function Tag({ children }: { children: ReactNode }) {
  return <span className={classes.tag}>{children}</span>;
}

/** A small count beside a title, tab or button. */
export function Count({ children, tone }: { children: ReactNode; tone?: "crit" }) {
  return (
    <span className={`${classes.count} num`} data-tone={tone}>
      {children}
    </span>
  );
}
