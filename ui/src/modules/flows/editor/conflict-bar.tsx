import { Modal } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { Glyph } from "@/components/status/glyph";
import { useFormat } from "@/text/use-format";
import type { Autosave } from "./draft/autosave";
import { CompareTable } from "../versions/compare-table";
import { useDrawing } from "./editor-context";
import classes from "./editor.module.css";
import type { RemoteDraft } from "./draft/saving";
import dialog from "../shared/dialogs.module.css";

/** Somebody else saved while this page had unsaved work: look at both, then choose one. */
export function ConflictBar({ theirs, autosave }: { theirs: RemoteDraft; autosave: Autosave }) {
  const { t } = useTranslation("flows");
  const format = useFormat();
  const drawing = useDrawing();
  const [comparing, setComparing] = useState(false);
  const acts = (
    <>
      <Action size="bar" onClick={autosave.takeTheirs}>
        {t("conflict.theirs")}
      </Action>
      <Action size="bar" kind="filled" onClick={autosave.keepMine}>
        {t("conflict.mine")}
      </Action>
    </>
  );
  return (
    <div className={classes.bar} role="alert">
      <Glyph kind="drifted" />
      <span>
        <span className="strong">
          {t("conflict.title", { revision: theirs.revision, time: format.clock(theirs.updated_at) })}
        </span>{" "}
        {t("conflict.text")}
      </span>
      <Action size="bar" kind="ghost" onClick={() => setComparing(true)}>
        {t("conflict.compare")}
      </Action>
      {acts}
      <Modal opened={comparing} onClose={() => setComparing(false)} title={t("conflict.compareTitle")} size={760}>
        <p className="soft">{t("conflict.compareText")}</p>
        <div className={dialog.compare}>
          <CompareTable a={theirs.graph} b={drawing} nameA={t("conflict.nameTheirs")} nameB={t("conflict.nameMine")} />
        </div>
        <div className={dialog.foot}>{acts}</div>
      </Modal>
    </div>
  );
}
