import { TextInput } from "@mantine/core";
import { IconChevronDown, IconChevronRight, IconRoute2, IconSearch } from "@tabler/icons-react";
import { useEffect, useRef, useState, type KeyboardEvent } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { Action } from "@/components/action/action";
import { Card } from "@/components/layout/card";
import { usePhone } from "@/components/screen/use-phone";
import { AddBlockMenu } from "../add-menu";
import { Trace } from "../canvas/trace";
import type { VersionSnapshot } from "../../shared/api";
import { BlockForm } from "../inspector/block-form";
import { DraftChanges } from "../draft-changes";
import { moveWay } from "../../drawing/drawing-edits";
import { useBlockName, useDrawing, useEditor } from "../editor-context";
import editor from "../editor.module.css";
import { EmptyDrawing } from "../empty-drawing";
import { FieldCalls } from "../inspector/field";
import form from "../inspector/form.module.css";
import { ConnectRow, remove, RowActs } from "./outline-acts";
import { outlineOf, type OutlineRow } from "./outline-model";
import { BlockWords, WayWords } from "./outline-words";
import classes from "./outline.module.css";
import { ProblemList } from "../problems/problem-list";
import { useShortcut } from "../use-shortcut";
import { useWayName, WayFields } from "../inspector/ways-form";

/**
 * The same drawing as a tree of forms: all that the canvas can, for screen readers, phones and people who prefer lists.
 */
export function OutlineTab({ installed }: { installed: VersionSnapshot | undefined }) {
  const { t } = useTranslation("flows");
  const { problems, closed } = useEditor();
  const drawing = useDrawing();
  const [folds, setFolds] = useState<Record<string, boolean>>({});
  const [text, setText] = useState("");
  const search = useRef<HTMLInputElement>(null);
  const phone = usePhone();
  const open = outlineOf(drawing, () => false);
  const rows = text ? open : outlineOf(drawing, (id, byDefault) => folds[id] ?? byDefault);
  const nameOf = useBlockName();
  const needle = text.trim().toLocaleLowerCase();
  const shown = needle
    ? rows.filter((row) => row.kind === "block" && nameOf(row.block).toLocaleLowerCase().includes(needle))
    : rows;
  const anyFolded = rows.some((row) => row.folded);
  const foldAll = (close: boolean) =>
    setFolds(Object.fromEntries(open.filter((row) => row.children > 0).map((row) => [row.id, close])));
  useShortcut("Slash", () => search.current?.focus());
  useOpenChosen(rows, () => foldAll(false));
  return (
    <div className={`${editor.page} ${classes.page}`}>
      <div className={classes.tree}>
        <div className={classes.bar}>
          {!phone && (
            <TextInput
              ref={search}
              className={classes.search}
              aria-label={t("canvas.find")}
              placeholder={t("canvas.find")}
              leftSection={<IconSearch size={15} stroke={1.6} aria-hidden />}
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
              aria-keyshortcuts="/"
            />
          )}
          <Trace icon={IconRoute2} below />
          {!phone && (
            <>
              <span className={`dim ${classes.counts}`}>
                {t("outline.counts", {
                  blocks: t("outline.blocks", { count: drawing.nodes.length }),
                  ways: t("outline.ways", { count: drawing.edges.length }),
                })}
              </span>
              {closed === undefined && <AddBlockMenu />}
              <Action kind="ghost" onClick={() => foldAll(!anyFolded)}>
                {t(anyFolded ? "outline.unfold" : "outline.fold")}
              </Action>
            </>
          )}
        </div>
        {drawing.nodes.length === 0 && (
          <div className={classes.empty}>
            <EmptyDrawing />
          </div>
        )}
        <ul aria-label={t("outline.label")}>
          {shown.map((row) => (
            <OutlineItem
              key={row.id}
              row={row}
              onFold={(close) => setFolds({ ...folds, [row.id]: close })}
              phone={phone}
            />
          ))}
        </ul>
      </div>
      <div className={classes.side}>
        {problems.length > 0 && (
          <Card title={t("problems.title")} aside={problems.length} flush>
            <div className={classes.problems}>
              <ProblemList problems={problems} />
            </div>
          </Card>
        )}
        <DraftChanges installed={installed} />
        {!phone && closed === undefined && <Keys />}
      </div>
    </div>
  );
}

// A problem may point into a folded part of the tree.
function useOpenChosen(rows: OutlineRow[], unfold: () => void) {
  const { store } = useEditor();
  const call = useStore(store, (state) => state.call);
  const key = useStore(store, (state) => state.chosen.blocks[0]);
  const hidden =
    call !== undefined &&
    key !== undefined &&
    !rows.some((row) => row.kind === "block" && row.block.key === key && !row.repeated);
  const latest = useRef(unfold);
  useEffect(() => {
    latest.current = unfold;
  });
  useEffect(() => {
    if (hidden) latest.current();
  }, [hidden]);
}

interface ItemProps {
  row: OutlineRow;
  onFold: (close: boolean) => void;
  phone: boolean;
}

function OutlineItem({ row, onFold, phone }: ItemProps) {
  const { folded } = row;
  const { t } = useTranslation("flows");
  const { store, closed } = useEditor();
  const name = useRowName()(row);
  const chosen = useStore(store, (state) => state.chosen);
  const isChosen =
    row.kind === "block"
      ? chosen.blocks[0] === row.block.key && chosen.edge === undefined && !row.repeated
      : chosen.edge === row.way.index;
  const { choose } = store.getState();
  const open = () => {
    if (isChosen) return choose({ blocks: [] });
    choose(
      row.kind === "block"
        ? { blocks: [row.block.key] }
        : { blocks: [row.owner.key], edge: row.way.index, rules: true },
    );
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const acts: Record<string, () => void> = {
      ArrowDown: () => focusRow(event.currentTarget, 1),
      ArrowUp: () => focusRow(event.currentTarget, -1),
      ArrowRight: () => (folded ? onFold(false) : focusRow(event.currentTarget, 1)),
      ArrowLeft: () => (row.children > 0 && !folded ? onFold(true) : focusRow(event.currentTarget, -1)),
      Delete: () => closed === undefined && remove(store, row),
    };
    const moving = event.altKey && (event.key === "ArrowUp" || event.key === "ArrowDown");
    const act = moving
      ? () =>
          closed === undefined &&
          row.kind === "way" &&
          store.getState().edit((now) => moveWay(now, row.way.index, event.key === "ArrowUp" ? -1 : 1))
      : acts[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  };
  return (
    <li className={classes.item} data-chosen={isChosen || undefined}>
      <div className={classes.row}>
        <Guides level={row.level} />
        {row.children > 0 ? (
          <button
            type="button"
            className={classes.fold}
            onClick={() => onFold(!folded)}
            aria-expanded={!folded}
            aria-label={t("outline.below", { name })}
          >
            {folded ? (
              <IconChevronRight size={14} stroke={1.6} aria-hidden />
            ) : (
              <IconChevronDown size={14} stroke={1.6} aria-hidden />
            )}
          </button>
        ) : (
          <span className={classes.fold} />
        )}
        <button
          type="button"
          className={classes.open}
          onKeyDown={onKeyDown}
          onClick={open}
          aria-expanded={isChosen}
          data-outline-row
        >
          <span className="visually-hidden">{t("outline.level", { level: row.level + 1 })}</span>
          {row.kind === "block" ? <BlockWords row={row} phone={phone} /> : <WayWords row={row} phone={phone} />}
        </button>
      </div>
      {!(row.kind === "block" && row.repeated) && <RowActs row={row} name={name} onEdit={open} />}
      {isChosen && (
        <div className={classes.form} style={phone ? undefined : { marginLeft: Math.min(row.level, 5) * 24 + 36 }}>
          {row.kind === "block" ? (
            <BlockForm block={row.block} ways={false} />
          ) : (
            <FieldCalls className={form.form}>
              <WayFields way={row.way} />
            </FieldCalls>
          )}
          {row.kind === "block" && <ConnectRow block={row.block} />}
        </div>
      )}
    </li>
  );
}

function useRowName(): (row: OutlineRow) => string {
  const nameOf = useBlockName();
  const wayName = useWayName();
  return (row) => (row.kind === "block" ? nameOf(row.block) : wayName(row.way));
}

function focusRow(from: HTMLElement, step: number) {
  const rows = [...document.querySelectorAll<HTMLElement>("[data-outline-row]")];
  rows[rows.indexOf(from) + step]?.focus();
}

function Guides({ level }: { level: number }) {
  return (
    <>
      {Array.from({ length: level }, (_, index) => (
        <span key={index} className={classes.guide} aria-hidden />
      ))}
    </>
  );
}

function Keys() {
  const { t } = useTranslation("flows");
  const keys: [string[], string][] = [
    [["↑", "↓"], t("keys.move")],
    [["→", "←"], t("keys.fold")],
    [["Enter"], t("keys.edit")],
    [["A"], t("keys.add")],
    [["Alt", "↑", "↓"], t("keys.reorder")],
    [["Del"], t("keys.remove")],
  ];
  return (
    <Card title={t("keys.title")}>
      <dl className={classes.keys}>
        {keys.map(([names, what]) => (
          <div key={what}>
            <dt>
              {names.map((name) => (
                <kbd key={name}>{name}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}
