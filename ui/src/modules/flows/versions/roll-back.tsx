import { IconArrowBackUp } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "@tanstack/react-router";
import { Action } from "@/components/action/action";
import { Card } from "@/components/layout/card";
import { toastDone, toastProblem } from "@/components/state/toast";
import { versionQuery, type Version } from "../shared/api";
import { useKeepVersion } from "./api";
import type { Autosave } from "../editor/draft/autosave";
import { useDrawing, useEditor } from "../editor/editor-context";
import { sameDrawing, type Saving } from "../editor/draft/saving";
import classes from "./versions.module.css";

/** Loads an older version into the draft. Work that no version holds is kept aside first. */
export function RollBack({
  version,
  versions,
  saving,
  autosave,
}: {
  version: Version;
  versions: readonly Version[];
  saving: Saving;
  autosave: Autosave;
}) {
  const { t } = useTranslation("flows");
  const { flow, store, closed } = useEditor();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const keep = useKeepVersion(flow.id);
  const drawing = useDrawing();
  const [busy, setBusy] = useState(false);
  const rollBack = async () => {
    setBusy(true);
    try {
      const target = await queries.fetchQuery(versionQuery(flow.id, version.id));
      if (sameDrawing(target.graph, drawing)) return toastDone(t("rollBack.already", { number: version.number }));
      await autosave.flush();
      const revision = autosave.state.getState();
      const held = revision.kind === "saved" && versions.some((item) => item.revision === revision.revision);
      if (!held) await keep.mutateAsync(t("rollBack.keptNote"));
      store.getState().edit(() => target.graph);
      await autosave.flush(version.id);
      toastDone(t("rollBack.done", { number: version.number }), held ? undefined : t("rollBack.keptAside"));
      void navigate({ to: `/flows/${flow.id}/graph` });
    } catch (error) {
      toastProblem(t("rollBack.failed"), error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Card>
      <div className={classes.rollBack}>
        <div>
          <p className="strong">{t("rollBack.title", { number: version.number })}</p>
          <p className="soft">{t("rollBack.text", { number: version.number })}</p>
        </div>
        <Action
          icon={IconArrowBackUp}
          busy={busy}
          onClick={() => void rollBack()}
          reason={closed ?? (saving.kind === "conflict" ? t("next.conflict") : undefined)}
        >
          {t("rollBack.act")}
        </Action>
      </div>
    </Card>
  );
}
