import { IconSchema } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { EmptyState } from "@/components/state/states";
import { addAfterChosen } from "./add-menu";
import classes from "./canvas/canvas.module.css";
import { useEditor } from "./editor-context";

/** A blank flow: what to draw first, and the act that does it. */
export function EmptyDrawing() {
  const { t } = useTranslation("flows");
  const { store, closed } = useEditor();
  return (
    <div className={classes.empty}>
      <EmptyState
        icon={IconSchema}
        title={t("empty.drawing")}
        act={
          <Action kind="filled" onClick={() => addAfterChosen(store, "entry")} reason={closed}>
            {t("empty.addEntry")}
          </Action>
        }
      >
        {t("empty.drawingText")}
      </EmptyState>
    </div>
  );
}
