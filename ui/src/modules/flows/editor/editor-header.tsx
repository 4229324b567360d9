import {
  IconArrowBackUp,
  IconArrowForwardUp,
  IconFocus2,
  IconListCheck,
  IconLoader,
  IconPlayerPlay,
  IconRefresh,
} from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { asProblem } from "@/api/problem";
import { Action, ActionLink } from "@/components/action/action";
import { Status } from "@/components/status/status";
import { problemText } from "@/text/problem-text";
import { useFormat } from "@/text/use-format";
import type { Plan } from "../shared/api";
import type { Autosave } from "./draft/autosave";
import { useUndo } from "./draft/draft-store";
import { useDrawing, useEditor } from "./editor-context";
import classes from "./editor.module.css";
import { FlowConfig, FlowHealth } from "../shared/flow-states";
import { FlowLoad } from "./flow-load";
import { goToProblem } from "./problems/problem-list";
import { countErrors, firstToFix } from "./problems/problems";
import type { Saving } from "./draft/saving";
import { useShortcut } from "./use-shortcut";
import { keptPlan } from "../plan/stored-plan";
import { useCompileNow } from "../plan/use-compile-now";

export interface HeaderProps {
  saving: Saving;
  autosave: Autosave;
  preview: Plan | undefined;
  /** The tab shows the drawing, so that undo and save state belong to it. */
  drawing: boolean;
}

/** Name, the two axes, what is saved, undo, and the one next step. */
export function EditorHeader({ saving, autosave, preview, drawing }: HeaderProps) {
  const { flow, changes } = useEditor();
  return (
    <header className={classes.header}>
      <h1 className={classes.title}>{flow.name}</h1>
      <span className={classes.axes}>
        <FlowConfig flow={flow} changes={changes?.length} />
        <FlowHealth flow={flow} />
        <FlowLoad flow={flow} />
      </span>
      <span className={classes.acts}>
        {drawing && <SavingState saving={saving} autosave={autosave} />}
        {drawing && <UndoButtons />}
        <span className={classes.primary}>
          <NextStep saving={saving} autosave={autosave} preview={preview} />
        </span>
      </span>
    </header>
  );
}

function SavingState({ saving, autosave }: { saving: Saving; autosave: Autosave }) {
  const { t } = useTranslation("flows");
  const format = useFormat();
  const { problems } = useEditor();
  if (saving.kind === "offline")
    return (
      <span className={classes.saving} role="status">
        <Status kind="degraded">{t("saving.offline")}</Status>
        <Action kind="ghost" size="bar" icon={IconRefresh} onClick={() => void autosave.flush()}>
          {t("saving.retry")}
        </Action>
      </span>
    );
  if (saving.kind === "refused")
    return (
      <span className={classes.saving} role="status">
        <Status kind="down">
          {problems.length > 0
            ? t("saving.refusedField")
            : `${t("saving.refused")} ${problemText(asProblem(saving.error))}`}
        </Status>
      </span>
    );
  const words = {
    loading: "",
    saved:
      saving.kind === "saved" && saving.at
        ? t("saving.saved", { time: format.clock(saving.at) })
        : t("saving.savedPlain"),
    unsaved: t("saving.saving"),
    saving: t("saving.saving"),
    conflict: t("saving.conflict"),
  }[saving.kind];
  return (
    <span className={classes.saving} role="status">
      {words}
      {saving.kind === "saved" && <span className={classes.never}> {t("saving.never")}</span>}
    </span>
  );
}

function UndoButtons() {
  const { t } = useTranslation("flows");
  const { store, closed } = useEditor();
  const { past, future, undo, redo } = useUndo(store);
  useShortcut("KeyZ", () => closed === undefined && undo(), { ctrl: true });
  useShortcut("KeyZ", () => closed === undefined && redo(), { ctrl: true, shift: true });
  useShortcut("KeyY", () => closed === undefined && redo(), { ctrl: true });
  if (closed !== undefined) return null;
  return (
    <span className={classes.undo}>
      <Action
        kind="ghost"
        iconOnly
        icon={IconArrowBackUp}
        onClick={undo}
        reason={past === 0 ? t("undo.nothing") : undefined}
        aria-keyshortcuts="Control+Z"
      >
        {t("undo.undo")}
      </Action>
      <Action
        kind="ghost"
        iconOnly
        icon={IconArrowForwardUp}
        onClick={redo}
        reason={future === 0 ? t("undo.nothingRedo") : undefined}
        aria-keyshortcuts="Control+Shift+Z"
      >
        {t("undo.redo")}
      </Action>
    </span>
  );
}

/** One button by state: see the apply, fix problems, review the plan, or compile one. */
export function NextStep({ saving, autosave, preview }: Omit<HeaderProps, "drawing">) {
  const { t } = useTranslation("flows");
  const { flow, store, problems } = useEditor();
  const compile = useCompileNow(flow.id, () => autosave.flush());
  const drawing = useDrawing();
  const count = countErrors(problems);
  const waits =
    saving.kind === "conflict"
      ? t("next.conflict")
      : drawing.nodes.length === 0
        ? t("next.empty")
        : preview?.is_noop && saving.kind === "saved"
          ? t("next.nothing", { number: flow.installed_version_number ?? "" })
          : undefined;
  const ready = keptPlan(flow.id);

  if (flow.state === "applying" && flow.last_apply_id)
    return (
      <ActionLink kind="filled" icon={IconLoader} to={`/flows/${flow.id}/applies/${flow.last_apply_id}`}>
        {t("next.applying")}
      </ActionLink>
    );
  if (count > 0)
    return (
      <Action kind="filled" icon={IconFocus2} onClick={() => goToProblem(store, firstToFix(problems)!)}>
        {t("next.fix", { count })}
      </Action>
    );
  if (
    ready &&
    ready.revision === flow.draft_revision &&
    saving.kind === "saved" &&
    saving.revision === ready.revision &&
    !preview?.is_noop
  )
    return (
      <ActionLink kind="filled" icon={IconListCheck} to={`/flows/${flow.id}/plans/${ready.id}`}>
        {t("next.review", { revision: ready.revision })}
      </ActionLink>
    );
  return (
    <Action
      kind="filled"
      icon={IconPlayerPlay}
      busy={compile.busy}
      reason={compile.blocked ?? waits}
      onClick={compile.start}
    >
      {t("next.compile")}
    </Action>
  );
}
