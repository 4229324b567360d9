import classes from "./glyph.module.css";

export type Tone = "ok" | "warn" | "crit" | "info" | "unk" | "accent";

/** Squares tell what is installed, circles tell how it runs; the two families are never mixed. */
const drawings = {
  "in-sync": { tone: "unk", draw: <rect x="2" y="2" width="8" height="8" rx="1.5" fill="currentColor" /> },
  draft: {
    tone: "info",
    draw: (
      <>
        <rect
          x="1.75"
          y="1.75"
          width="8.5"
          height="8.5"
          rx="1.75"
          fill="none"
          stroke="currentColor"
          strokeWidth="1.5"
        />
        <path d="M2.5 6h7v2.8a.7.7 0 0 1-.7.7H3.2a.7.7 0 0 1-.7-.7z" fill="currentColor" />
      </>
    ),
  },
  drifted: {
    tone: "warn",
    draw: (
      <>
        <path d="M6 .9 11.1 6 6 11.1.9 6z" fill="none" stroke="currentColor" strokeWidth="1.4" strokeLinejoin="round" />
        <path d="M6 4.1 7.9 6 6 7.9 4.1 6z" fill="currentColor" />
      </>
    ),
  },
  applying: {
    tone: "info",
    draw: (
      <rect
        x="1.75"
        y="1.75"
        width="8.5"
        height="8.5"
        rx="1.5"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeDasharray="2.4 1.6"
      />
    ),
  },
  failed: {
    tone: "crit",
    draw: (
      <>
        <rect x="1" y="1" width="10" height="10" rx="2" fill="currentColor" />
        <path
          d="m4.2 4.2 3.6 3.6m0-3.6L4.2 7.8"
          stroke="var(--glyph-ground, var(--surface))"
          strokeWidth="1.5"
          strokeLinecap="round"
        />
      </>
    ),
  },
  never: {
    tone: "unk",
    draw: (
      <rect
        x="1.5"
        y="1.5"
        width="9"
        height="9"
        rx="1.5"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.2"
        strokeDasharray="1.8 1.6"
      />
    ),
  },
  healthy: { tone: "ok", draw: <circle cx="6" cy="6" r="4" fill="currentColor" /> },
  degraded: {
    tone: "warn",
    draw: (
      <>
        <circle cx="6" cy="6" r="4.5" fill="none" stroke="currentColor" strokeWidth="1.5" />
        <path d="M6 1.5a4.5 4.5 0 0 1 0 9z" fill="currentColor" />
      </>
    ),
  },
  down: {
    tone: "crit",
    draw: (
      <>
        <circle cx="6" cy="6" r="5" fill="currentColor" />
        <path
          d="m4.2 4.2 3.6 3.6m0-3.6L4.2 7.8"
          stroke="var(--glyph-ground, var(--surface))"
          strokeWidth="1.5"
          strokeLinecap="round"
        />
      </>
    ),
  },
  "no-data": {
    tone: "unk",
    draw: <circle cx="6" cy="6" r="4.5" fill="none" stroke="currentColor" strokeWidth="1.5" strokeDasharray="2 1.53" />,
  },
  maintenance: {
    tone: "info",
    draw: (
      <>
        <circle cx="6" cy="6" r="4.6" fill="none" stroke="currentColor" strokeWidth="1.4" />
        <path d="M4.9 4.2v3.6M7.1 4.2v3.6" stroke="currentColor" strokeWidth="1.3" strokeLinecap="round" />
      </>
    ),
  },
  waiting: {
    tone: "info",
    draw: (
      <>
        <circle cx="6" cy="6" r="4.6" fill="none" stroke="currentColor" strokeWidth="1.4" />
        <path
          d="M6 3.6V6l1.7 1.1"
          fill="none"
          stroke="currentColor"
          strokeWidth="1.3"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      </>
    ),
  },
  skipped: { tone: "unk", draw: <path d="M2 6h8" stroke="currentColor" strokeWidth="1.8" /> },
  bypassed: {
    tone: "warn",
    draw: (
      <>
        <path
          d="M6 .9 10.3 2.2v3.6c0 2.6-1.8 4.3-4.3 5.3-2.5-1-4.3-2.7-4.3-5.3V2.2z"
          fill="none"
          stroke="currentColor"
          strokeWidth="1.2"
          strokeLinejoin="round"
        />
        <path d="m4.6 4.6 2.8 2.8m0-2.8L4.6 7.4" stroke="currentColor" strokeWidth="1.2" strokeLinecap="round" />
      </>
    ),
  },
} as const;

export type GlyphKind = keyof typeof drawings;

export function toneOf(kind: GlyphKind): Tone {
  return drawings[kind].tone;
}

/** A state as a shape. It never stands alone: a word beside it, or `label`, says the same. */
export function Glyph({
  kind,
  tone,
  size = 12,
  label,
}: {
  kind: GlyphKind;
  tone?: Tone;
  size?: number;
  label?: string;
}) {
  return (
    <svg
      className={classes.glyph}
      data-tone={tone ?? toneOf(kind)}
      width={size}
      height={size}
      viewBox="0 0 12 12"
      role={label ? "img" : undefined}
      aria-label={label}
      aria-hidden={label ? undefined : true}
    >
      {drawings[kind].draw}
    </svg>
  );
}

/** Work that runs now. */
export function Spinner({ size = 14, label }: { size?: number; label?: string }) {
  return (
    <svg
      className={classes.spinner}
      width={size}
      height={size}
      viewBox="0 0 14 14"
      role={label ? "img" : undefined}
      aria-label={label}
      aria-hidden={label ? undefined : true}
    >
      <circle cx="7" cy="7" r="5.5" fill="none" stroke="var(--strong)" strokeWidth="1.5" />
      <path
        d="M7 1.5A5.5 5.5 0 0 1 12.5 7"
        fill="none"
        stroke="var(--accent-text)"
        strokeWidth="1.5"
        strokeLinecap="round"
      />
    </svg>
  );
}
