import { Modal } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { Suspense, useEffect, useRef, useState, type KeyboardEvent, type ReactElement } from "react";
import { useTranslation } from "react-i18next";
import { Status } from "@/components/status/status";
import { Spinner } from "@/components/status/glyph";
import { usePaletteRows, type PaletteRow } from "./palette-rows";
import { marked } from "./palette-text";
import type { TypedAhead } from "./typed-ahead";
import classes from "./palette.module.css";

type Draw = (onClose: () => void) => ReactElement;

interface PaletteProps {
  opened: boolean;
  onClose: () => void;
  /** What was typed until now; asked for once the field has the focus. */
  typedAhead?: () => TypedAhead | undefined;
}

/** Ctrl K: pages and objects by name, address or id, and acts on them, each behind its dialog. */
export function Palette({ opened, onClose, typedAhead }: PaletteProps) {
  const { t } = useTranslation("app");
  const [act, setAct] = useState<{ draw: Draw }>();
  return (
    <>
      <Modal.Root opened={opened} onClose={onClose} size={640} yOffset={104} centered={false}>
        <Modal.Overlay />
        <Modal.Content aria-label={t("palette.open")}>
          <Modal.Body className={classes.body}>
            {opened && <PaletteBody onClose={onClose} onAct={(draw) => setAct({ draw })} typedAhead={typedAhead} />}
          </Modal.Body>
        </Modal.Content>
      </Modal.Root>
      {act && <Suspense>{act.draw(() => setAct(undefined))}</Suspense>}
    </>
  );
}

type BodyProps = Pick<PaletteProps, "onClose" | "typedAhead"> & { onAct: (draw: Draw) => void };

function PaletteBody({ onClose, onAct, typedAhead }: BodyProps) {
  const { t } = useTranslation("app");
  const navigate = useNavigate();
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState(0);
  const [waiting, setWaiting] = useState(false);
  const { rows, name, busy, none } = usePaletteRows(text);
  const active = Math.min(chosen, rows.length - 1);
  const type = (value: string) => {
    setText(value);
    setChosen(0);
    setWaiting(false);
  };
  const takeOver = () => {
    const before = typedAhead?.();
    if (!before) return;
    if (before.text !== "") type(before.text);
    setWaiting(before.entered);
  };
  const open = (row: PaletteRow | undefined) => {
    if (!row || row.reason !== undefined) return;
    if (row.complete !== undefined) return type(row.complete);
    onClose();
    if (row.run) return onAct(row.run);
    void navigate({ to: row.go!.path, search: row.go!.search ?? {} });
  };
  // Enter belongs to what is typed, not to what was found for the letters before.
  const latest = useRef(() => undefined as void);
  useEffect(() => {
    latest.current = () => open(rows[active]);
  });
  useEffect(() => {
    if (!waiting || busy) return;
    setWaiting(false);
    latest.current();
  }, [waiting, busy]);

  const onKeyDown = (event: KeyboardEvent) => {
    const take = (next: number) => {
      event.preventDefault();
      if (rows.length > 0) setChosen((next + rows.length) % rows.length);
    };
    if (event.key === "ArrowDown") take(active + 1);
    if (event.key === "ArrowUp") take(active - 1);
    if (event.key === "Tab" && !event.shiftKey) take(Math.max(0, nextAct(rows, active)));
    if (event.key === "Enter") {
      event.preventDefault();
      setWaiting(true);
    }
  };
  return (
    <>
      <div className={classes.field}>
        <IconSearch size={18} stroke={1.6} aria-hidden />
        <input
          className={classes.input}
          role="combobox"
          aria-expanded
          aria-controls="palette-hits"
          aria-activedescendant={rows[active] ? `hit-${active}` : undefined}
          aria-label={t("palette.open")}
          placeholder={t("palette.hint")}
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={(event) => type(event.currentTarget.value)}
          onKeyDown={onKeyDown}
          onFocus={takeOver}
          data-autofocus
        />
        {busy && <Spinner size={14} />}
        <kbd className={classes.key}>Esc</kbd>
      </div>
      <div id="palette-hits" role="listbox" aria-label={t("palette.hits")} aria-busy={busy} className={classes.hits}>
        {rows.length === 0 && !busy && <p className={classes.none}>{none}</p>}
        {rows.map((row, index) => (
          <Row
            key={row.id}
            row={row}
            name={name}
            id={`hit-${index}`}
            active={index === active}
            head={rows[index - 1]?.group !== row.group}
            onOpen={() => open(row)}
          />
        ))}
      </div>
      <div className={classes.foot}>
        <span>
          <kbd className={classes.key}>↑</kbd> <kbd className={classes.key}>↓</kbd> {t("palette.move")}
        </span>
        <span>
          <kbd className={classes.key}>Tab</kbd> {t("palette.toActs")}
        </span>
        <span>
          <kbd className={classes.key}>Enter</kbd> {t("palette.openKey")}
        </span>
        <span className={classes.paste}>{t("palette.paste")}</span>
      </div>
      <p role="status" className="visually-hidden">
        {busy ? "" : t("palette.found", { count: rows.length })}
      </p>
    </>
  );
}

/** Tab goes to the next act, and from the last one to the first row. */
function nextAct(rows: readonly PaletteRow[], active: number): number {
  return rows.findIndex((row, index) => index > active && (row.run ?? row.complete) !== undefined);
}

interface RowProps {
  row: PaletteRow;
  name: string;
  id: string;
  active: boolean;
  head: boolean;
  onOpen: () => void;
}

function Row({ row, name, id, active, head, onOpen }: RowProps) {
  const { icon: Shape } = row;
  const line = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (active) line.current?.scrollIntoView?.({ block: "nearest" });
  }, [active]);
  return (
    <>
      {head && (
        <div className={`caps ${classes.group}`} role="presentation">
          {row.group}
        </div>
      )}
      {/* The field keeps the focus and reads the keys; a row only takes the pointer. */}
      {/* eslint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus */}
      <div
        id={id}
        ref={line}
        role="option"
        aria-selected={active}
        aria-disabled={row.reason !== undefined || undefined}
        className={classes.hit}
        onClick={onOpen}
      >
        {Shape ? <Shape size={17} stroke={1.6} aria-hidden className={classes.icon} /> : <span />}
        <span className={classes.words}>
          <span className="strong">
            {marked(row.name, name).map((part, index) =>
              part.hit ? <mark key={index}>{part.text}</mark> : <span key={index}>{part.text}</span>,
            )}
          </span>{" "}
          {row.detail && <span className="dim">{row.detail}</span>}
        </span>
        {row.reason && <span className={classes.reason}>{row.reason}</span>}
        {row.status && <Status kind={row.status.kind}>{row.status.text}</Status>}
      </div>
    </>
  );
}
