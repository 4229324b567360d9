import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useWriteBlock } from "@/api/access";
import { Action } from "@/components/action/action";
import { Glyph } from "@/components/status/glyph";
import { usePlaces } from "../editor/editor-context";
import editor from "../editor/editor.module.css";
import type { Flow } from "../shared/api";
import { NodeLink } from "../shared/node-link";
import { configState } from "../shared/states";
import { RestoreDialog } from "./restore-dialog";

const shownNodes = 3;

/** Nodes that run another configuration than the installed one, and the act that restores each. */
export function DriftBar({ flow }: { flow: Flow }) {
  const { t } = useTranslation("flows");
  const { servers } = usePlaces();
  const closed = useWriteBlock({ needs: "connection_units.apply", feature: "flows" });
  const [restoring, setRestoring] = useState<string>();
  const ids = flow.drift.node_ids;
  if (!["drifted", "apply_failed"].includes(configState(flow)) || ids.length === 0) return null;
  const nameOf = (id: string) => servers.get(id)?.name ?? id.slice(-6);
  const number = flow.installed_version_number;
  return (
    <section className={editor.bar} aria-label={t("drift.label")}>
      <Glyph kind="drifted" />
      <span>
        <span className="strong">{t("drift.title", { number })}</span>{" "}
        {ids.slice(0, shownNodes).map((id, index) => (
          <span key={id}>
            {index > 0 && ", "}
            <NodeLink id={id}>{nameOf(id)}</NodeLink>
          </span>
        ))}
        {ids.length > shownNodes && ` ${t("drift.more", { count: ids.length - shownNodes })}`}
      </span>
      {ids.slice(0, shownNodes).map((id) => (
        <Action key={id} size="bar" reason={closed} onClick={() => setRestoring(id)}>
          {t("drift.act", { number, name: nameOf(id) })}
        </Action>
      ))}
      {restoring && (
        <RestoreDialog
          flow={flow}
          nodeId={restoring}
          name={nameOf(restoring)}
          onClose={() => setRestoring(undefined)}
        />
      )}
    </section>
  );
}
