import { IconChevronDown, IconChevronUp } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { Glyph, type GlyphKind } from "@/components/status/glyph";
import { addAfterChosen } from "../add-menu";
import type { DraftStore } from "../draft/draft-store";
import { useDrawing, useEditor } from "../editor-context";
import { usePlaceWords } from "./place-words";
import { countErrors, type Problem, type Severity } from "./problems";
import { useNamedProblem } from "./problem-words";
import classes from "./problem-list.module.css";

/** Chooses the block of a problem and asks its form to focus the field. */
export function goToProblem(store: DraftStore, problem: Problem): void {
  const { choose, callField, ask } = store.getState();
  ask();
  const { place } = problem;
  if (!place) return;
  if ("block" in place) choose({ blocks: [place.block] });
  else choose({ blocks: [place.from], edge: place.edge, rules: true });
  callField(place.field || "node_id");
}

const glyphs: Record<Severity, GlyphKind> = { error: "down", missing: "draft", warning: "degraded" };

/** Findings, each with its path and a way to its field. */
export function ProblemList({
  problems,
  onGo,
  wide = false,
}: {
  problems: readonly Problem[];
  onGo?: () => void;
  wide?: boolean;
}) {
  const { t } = useTranslation("flows");
  const { store, closed } = useEditor();
  const drawing = useDrawing();
  const words = useNamedProblem(drawing);
  const place = usePlaceWords(drawing);
  if (problems.length === 0) return <p className="dim">{t("problems.none")}</p>;
  return (
    <ul className={classes.list} data-wide={wide || undefined}>
      {problems.map((problem) => (
        <li key={`${problem.code} ${problem.path}`} className={classes.item}>
          <Glyph kind={glyphs[problem.severity]} label={t(`problems.${problem.severity}`)} />
          <span className={classes.text}>{words(problem)}</span>
          <span className={classes.path}>{place(problem.path)}</span>
          {problem.place ? (
            <Action
              kind="link"
              onClick={() => {
                goToProblem(store, problem);
                onGo?.();
              }}
            >
              {t("problems.go")}
            </Action>
          ) : (
            problem.code === "no_entry" && (
              <Action kind="link" onClick={() => addAfterChosen(store, "entry")} reason={closed}>
                {t("empty.addEntry")}
              </Action>
            )
          )}
        </li>
      ))}
    </ul>
  );
}

/** The panel below the canvas: everything that keeps the draft from running. */
export function ProblemsPanel() {
  const { t } = useTranslation("flows");
  const { problems } = useEditor();
  const [open, setOpen] = useState(true);
  const errors = countErrors(problems);
  if (problems.length === 0) return null;
  const counts = [
    errors > 0 && t("problems.errors", { count: errors }),
    problems.length > errors && t("problems.warnings", { count: problems.length - errors }),
  ]
    .filter(Boolean)
    .join(", ");
  return (
    <section className={classes.panel} aria-label={t("problems.title")}>
      <header className={classes.head}>
        <h2>{t("problems.title")}</h2>
        <span className="dim">{counts}</span>
        <Action
          kind="ghost"
          size="bar"
          iconOnly
          icon={open ? IconChevronDown : IconChevronUp}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          {t(open ? "problems.fold" : "problems.unfold")}
        </Action>
      </header>
      {open && (
        // A region that scrolls must be reachable by keyboard.
        // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        <div className={classes.scroll} role="region" aria-label={t("problems.title")} tabIndex={0}>
          <ProblemList problems={problems} wide />
        </div>
      )}
    </section>
  );
}
