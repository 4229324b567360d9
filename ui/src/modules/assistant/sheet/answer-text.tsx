import { Link } from "@tanstack/react-router";
import { Glyph } from "@/components/status/glyph";
import type { Paragraph } from "../api";
import classes from "./sheet.module.css";

type Kind = Paragraph["kind"];

/** An answer as plain text: names of objects may hold anything, so nothing in it is markup. */
export function AnswerText({
  paragraphs,
  onFollow,
}: {
  paragraphs: readonly Paragraph[];
  onFollow: (() => void) | undefined;
}) {
  return runsOf(paragraphs).map(({ kind, parts }, index) => {
    const lines = parts.map((part, line) => <Line key={line} part={part} list={isList(kind)} onFollow={onFollow} />);
    if (kind === "step") return <ol key={index} className={classes.steps} children={lines} />;
    if (kind === "item") return <ul key={index} className={classes.items} children={lines} />;
    return lines;
  });
}

const isList = (kind: Kind) => kind === "step" || kind === "item";

/** Paragraphs of one kind that follow each other make one list. */
function runsOf(paragraphs: readonly Paragraph[]): { kind: Kind; parts: Paragraph[] }[] {
  const runs: { kind: Kind; parts: Paragraph[] }[] = [];
  for (const part of paragraphs) {
    const open = runs.at(-1);
    if (open?.kind === part.kind) open.parts.push(part);
    else runs.push({ kind: part.kind, parts: [part] });
  }
  return runs;
}

function Line({
  part: { kind, text, links },
  list,
  onFollow,
}: {
  part: Paragraph;
  list: boolean;
  onFollow: (() => void) | undefined;
}) {
  const Shape = list ? "li" : "p";
  return (
    <Shape className={kind === "warning" ? classes.warning : classes.paragraph}>
      {kind === "warning" && <Glyph kind="degraded" />}
      <span>
        {piecesOf(text, links).map((piece, index) =>
          typeof piece === "string" ? piece : <PanelLink key={index} {...piece} onFollow={onFollow} />,
        )}
      </span>
    </Shape>
  );
}

type Place = Paragraph["links"][number] & { behind?: boolean };

/** The text with its links: a name that stands in it is a link there; other links come behind it. */
function piecesOf(text: string, links: Paragraph["links"]): (string | Place)[] {
  const pieces: (string | Place)[] = [text];
  for (const link of links) {
    const at = pieces.findIndex((piece) => typeof piece === "string" && piece.includes(link.label));
    if (at < 0) {
      pieces.push({ ...link, behind: true });
      continue;
    }
    const piece = pieces[at] as string;
    const from = piece.indexOf(link.label);
    pieces.splice(at, 1, piece.slice(0, from), link, piece.slice(from + link.label.length));
  }
  return pieces;
}

/** Leads to a page of this panel, never out of it. */
export function PanelLink({
  href,
  label,
  behind = false,
  onFollow,
}: {
  href: string;
  label: string;
  /** It stands after a text. */
  behind?: boolean;
  onFollow?: (() => void) | undefined;
}) {
  if (!href.startsWith("/") || href.startsWith("//")) return null;
  const { pathname, searchParams, hash } = new URL(href, window.location.origin);
  return (
    <Link
      to={pathname}
      search={Object.fromEntries(searchParams)}
      hash={hash.slice(1) || undefined}
      className={`${classes.link} ${behind ? classes.behind : ""}`}
      onClick={onFollow}
    >
      {label}
    </Link>
  );
}
