import { Modal, TextInput } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState, type FormEvent, type ReactNode } from "react";
import { Trans, useTranslation } from "react-i18next";
import { asProblem } from "@/api/problem";
import { Action } from "@/components/action/action";
import { useClosing } from "@/components/form/use-closing";
import { ProblemNote } from "@/components/state/problem-view";
import { Glyph, Spinner, type GlyphKind } from "@/components/status/glyph";
import { fieldText } from "@/text/problem-text";
import { sentence } from "@/text/sentence";
import classes from "./act-dialog.module.css";

/** Something that the act hits now: a flow, an exit, sessions. */
export interface ActEffect {
  key: string;
  /** Nothing for what only stands there and is not hit. */
  glyph?: GlyphKind;
  name?: string;
  path?: string;
  text: string;
}

/** What became of the act on one object; `ok` is undefined while it goes on. */
export interface ActResult {
  id: string;
  name: string;
  ok: boolean | undefined;
  text: string;
}

export interface ActDialogProps {
  onClose: () => void;
  title: string;
  /** What the act does, in one or two sentences. */
  children: ReactNode;
  /** What it hits at this moment; undefined while that is being asked for, an error where it could not be. */
  effects: ActEffect[] | undefined;
  effectsError?: unknown;
  /** Objects that were chosen and do not take part, each with its reason. */
  left?: { id: string; name: string; text: string }[];
  /** The way back, or that there is none. */
  undo: ReactNode;
  fields?: ReactNode;
  /** Text was typed into the fields: closing the question asks first. */
  dirty?: boolean;
  verb: string;
  danger?: boolean;
  /** The act opens only after this word was typed. */
  typed?: string;
  /** Why the act is closed, such as that nothing is left to act on. */
  reason?: string;
  /**
   * Does it, to all or only to those that failed before; may report what is known so far. The answer has one result
   * for each object.
   */
  run: (report: (results: ActResult[]) => void, failed?: string[]) => Promise<ActResult[]>;
  /** Takes it back on those where it was done, where an opposite act exists. */
  takeBack?: { verb: string; run: (done: string[]) => Promise<ActResult[]> };
  /** What comes next for those on which it was done, where another page goes on with them. */
  onward?: { verb: string; run: (done: string[]) => void };
  /** The words for its end where the objects are not nodes. */
  words?: { done: (count: number) => string; retry: (count: number) => string };
}

type Phase = { kind: "asking"; error?: unknown } | { kind: "running" | "ended"; results: ActResult[]; back?: boolean };

/**
 * The one dialog before every act that touches servers: what it does, what it hits now, the way back, and afterwards
 * the result of each object in the same place. Draw it only while it is open.
 */
export function ActDialog(props: ActDialogProps) {
  const { title, run, takeBack } = props;
  const [phase, setPhase] = useState<Phase>({ kind: "asking" });
  const onClose = useClosing(props.dirty === true && phase.kind === "asking", props.onClose);
  const start = (before: ActResult[] = []) => {
    const done = before.filter((result) => result.ok);
    const failed = before.length > 0 ? before.filter((one) => !one.ok).map((one) => one.id) : undefined;
    const show = (kind: "running" | "ended") => (results: ActResult[]) =>
      setPhase({ kind, results: [...done, ...results] });
    show("running")([]);
    run(show("running"), failed).then(show("ended"), (error: unknown) => setPhase({ kind: "asking", error }));
  };
  const undo = takeBack && {
    verb: takeBack.verb,
    start: (ended: ActResult[]) => {
      const ids = ended.filter((result) => result.ok).map((result) => result.id);
      setPhase({ kind: "running", results: [] });
      const back = (results: ActResult[]) => setPhase({ kind: "ended", results, back: true });
      takeBack.run(ids).then(back, (error: unknown) => setPhase({ kind: "asking", error }));
    },
  };
  return (
    <Modal opened onClose={onClose} title={title} size="lg">
      {phase.kind === "asking" ? (
        <Question {...props} onClose={onClose} error={phase.error} onConfirm={() => start()} />
      ) : (
        <Results
          phase={phase}
          words={props.words}
          undo={undo}
          onward={props.onward}
          onClose={onClose}
          onRetry={() => start(phase.results)}
        />
      )}
    </Modal>
  );
}

function Question(props: ActDialogProps & { error: unknown; onConfirm: () => void }) {
  const { onClose, children, effects, effectsError, left = [], undo, fields, verb, danger, typed, error } = props;
  const { t } = useTranslation("app");
  const [word, setWord] = useState("");
  const reason =
    props.reason ?? (typed !== undefined && word !== typed ? t("confirm.waits", { word: typed }) : undefined);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (reason === undefined) props.onConfirm();
  };
  return (
    <form className={classes.body} onSubmit={submit} noValidate>
      <div className="soft">{children}</div>
      {fields}
      <Effects effects={effects} error={effectsError} />
      {left.length > 0 && (
        <section aria-label={t("act.left")}>
          <h3 className="caps">{t("act.left")}</h3>
          <ul className={classes.list}>
            {left.map((one) => (
              <li key={one.id}>
                <span>
                  <span className="strong">{one.name}</span> <span className="soft">{one.text}</span>
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section aria-label={t("act.undo")}>
        <h3 className="caps">{t("act.undo")}</h3>
        <p className="soft">{undo}</p>
      </section>
      {typed !== undefined && (
        <TextInput
          size="md"
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          label={
            <Trans
              t={t}
              i18nKey="confirm.type"
              values={{ word: typed }}
              components={{ word: <span className={classes.word} /> }}
            />
          }
          value={word}
          onChange={(event) => setWord(event.currentTarget.value)}
        />
      )}
      {error !== undefined && <ProblemNote error={error} />}
      <div className={classes.foot}>
        <Action size="dialog" onClick={onClose} data-autofocus={typed === undefined || undefined}>
          {t("confirm.cancel")}
        </Action>
        <Action size="dialog" type="submit" kind={danger ? "danger-filled" : "filled"} reason={reason}>
          {verb}
        </Action>
      </div>
    </form>
  );
}

function Effects({ effects, error }: { effects: ActEffect[] | undefined; error: unknown }) {
  const { t } = useTranslation("app");
  if (effects?.length === 0 && !error) return null;
  return (
    <section aria-label={t("act.effects")} aria-busy={effects === undefined && !error}>
      <h3 className="caps">{t("act.effects")}</h3>
      {error !== undefined && error !== null ? (
        <ProblemNote error={error}>
          {[t("act.effectsFailed"), ...asProblem(error).fields.map((one) => sentence(fieldText(one)))].join(" ")}
        </ProblemNote>
      ) : effects === undefined ? (
        <p className={classes.waiting}>
          <Spinner size={14} /> {t("act.asking")}
        </p>
      ) : (
        <ul className={classes.list}>
          {effects.map((effect) => (
            <li key={effect.key}>
              {effect.glyph ? <Glyph kind={effect.glyph} /> : <span className={classes.unhit} aria-hidden />}
              <span>
                {effect.path ? (
                  <Link to={effect.path} className="strong">
                    {effect.name}
                  </Link>
                ) : (
                  effect.name && <span className="strong">{effect.name}</span>
                )}{" "}
                {effect.text}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

interface ResultsProps {
  phase: Extract<Phase, { results: ActResult[] }>;
  undo: { verb: string; start: (ended: ActResult[]) => void } | undefined;
  onward: ActDialogProps["onward"];
  words: ActDialogProps["words"];
  onClose: () => void;
  onRetry: () => void;
}

function Results({ phase: { kind, results, back = false }, words, undo, onward, onClose, onRetry }: ResultsProps) {
  const { t } = useTranslation("app");
  const failed = results.filter((result) => result.ok === false);
  const did = results.filter((result) => result.ok).map((result) => result.id);
  const done = did.length;
  const goesOn = kind === "ended" && onward !== undefined && done > 0 && !back;
  return (
    <div className={classes.body}>
      <p role="status" className="strong">
        {kind === "running" && t("act.running")}
        {kind === "ended" && failed.length === 0 && (words?.done(done) ?? t("act.done", { count: done }))}
        {kind === "ended" && failed.length > 0 && t("act.partly", { done, count: failed.length })}
      </p>
      <ul className={classes.list} aria-label={t("act.results")}>
        {[...failed, ...results.filter((result) => result.ok !== false)].map((result) => (
          <li key={result.id}>
            {result.ok === undefined ? <Spinner size={12} /> : <Glyph kind={result.ok ? "healthy" : "down"} />}
            <span>
              <span className="strong">{result.name}</span> <span className="soft">{result.text}</span>
            </span>
          </li>
        ))}
      </ul>
      <div className={classes.foot}>
        {kind === "ended" && undo && done > 0 && !back && (
          <Action size="dialog" onClick={() => undo.start(results)}>
            {undo.verb}
          </Action>
        )}
        {kind === "ended" && failed.length > 0 && !back && (
          <Action size="dialog" onClick={onRetry}>
            {words?.retry(failed.length) ?? t("act.retry", { count: failed.length })}
          </Action>
        )}
        <Action
          size="dialog"
          kind={goesOn ? "default" : "filled"}
          onClick={onClose}
          data-autofocus={!goesOn || undefined}
        >
          {t(kind === "running" ? "act.leave" : "act.close")}
        </Action>
        {goesOn && (
          <Action size="dialog" kind="filled" onClick={() => onward.run(did)} data-autofocus>
            {onward.verb}
          </Action>
        )}
      </div>
    </div>
  );
}
