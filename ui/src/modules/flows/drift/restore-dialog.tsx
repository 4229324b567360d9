import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useAccess } from "@/api/access";
import { ActDialog, type ActEffect } from "@/components/dialog/act-dialog";
import { ChangeList } from "../plan/plan-nodes";
import { useChangeWords } from "../plan/change-words";
import { changesOf } from "../plan/plan-changes";
import { driftQuery, nodesNowQuery, useRestore, versionQuery, type Flow, type NodeDrift } from "../shared/api";
import classes from "../shared/dialogs.module.css";

interface RestoreDialogProps {
  flow: Flow;
  nodeId: string;
  name: string;
  onClose: () => void;
}

/** Before a node gets the installed configuration again: how it differs, and whom the change touches. */
export function RestoreDialog({ flow, nodeId, name, onClose }: RestoreDialogProps) {
  const { t } = useTranslation("flows");
  const navigate = useNavigate();
  const drift = useQuery(driftQuery(flow.id, nodeId));
  const seesNodes = useAccess().can("nodes.view");
  const now = useQuery({ ...nodesNowQuery([nodeId]), enabled: seesNodes });
  const restore = useRestore(flow.id);
  const words = { name, number: flow.installed_version_number };
  const connections = now.data?.[0]?.connections;
  const effects: ActEffect[] = [
    { key: nodeId, glyph: "no-data", name, path: seesNodes ? `/nodes/${nodeId}` : undefined, text: t("drift.rereads") },
  ];
  if (connections !== undefined)
    effects.push({ key: "connections", glyph: "no-data", text: t("act.connections", { count: connections }) });
  return (
    <ActDialog
      onClose={onClose}
      title={t("drift.ask", words)}
      effects={seesNodes && now.isLoading ? undefined : effects}
      undo={t("drift.undo")}
      verb={t("drift.act", words)}
      reason={drift.data && !drift.data.online ? t("drift.silent", words) : undefined}
      fields={
        <section aria-label={t("drift.changes")}>
          <h3 className="caps">{t("drift.changes")}</h3>
          {drift.data && <Difference flow={flow} drift={drift.data} />}
          {drift.isLoading && <p className="soft">{t("drift.reading")}</p>}
          {drift.isError && <p className="soft">{t("drift.unread")}</p>}
        </section>
      }
      run={async () => {
        const apply = await restore.mutateAsync(nodeId);
        onClose();
        void navigate({ to: `/flows/${flow.id}/applies/${apply.apply_id}` });
        return [];
      }}
    >
      {t("drift.what", words)}
    </ActDialog>
  );
}

function Difference({ flow, drift }: { flow: Flow; drift: NodeDrift }) {
  const { t } = useTranslation("flows");
  const installed = useQuery(versionQuery(flow.id, flow.installed_version_id)).data;
  const words = useChangeWords([installed?.graph]);
  const changes = changesOf(drift);
  const said = saidOf(drift, changes.length);
  return (
    <>
      {changes.length > 0 && (
        <div className={classes.compare}>
          <ChangeList changes={changes} words={words} />
        </div>
      )}
      {said && <p className="soft">{t(`drift.${said}`)}</p>}
    </>
  );
}

/** What the list of changes does not tell, as the key of the words. */
function saidOf(drift: NodeDrift, changes: number): string | undefined {
  if (drift.state === "in_sync") return "same";
  if (!drift.known) return "unknown";
  if (!drift.part_same) return changes === 0 ? "details" : undefined;
  return drift.rest_same ? undefined : "rest";
}
