import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { Confirm } from "@/components/dialog/confirm";
import { toastDone } from "@/components/state/toast";
import { Glyph, type GlyphKind } from "@/components/status/glyph";
import { Status } from "@/components/status/status";
import { RelativeTime } from "@/components/text/relative-time";
import { useFormat } from "@/text/use-format";
import classes from "../cases/cases.module.css";
import { useBlock } from "../header";
import { useUndo, type Act } from "./api";

const glyphs: Record<Act["state"], GlyphKind> = {
  pending: "waiting",
  active: "maintenance",
  failed: "down",
  ended: "skipped",
  undone: "skipped",
};

/** One act on the user: who, what, until when, what became of it on each node, and its way back. */
export function ActEntry({ act }: { act: Act }) {
  const { t } = useTranslation("abuse");
  const format = useFormat();
  const block = useBlock();
  const [undoing, setUndoing] = useState(false);
  return (
    <li className={classes.entry}>
      <Glyph kind={glyphs[act.state]} size={16} />
      <span className={classes.entryText}>
        <span>
          <span className="strong">{act.automatic ? t("acts.itself") : act.by}</span> {t(`act.${act.kind}.said`)}{" "}
          <Status kind={glyphs[act.state]}>{t(`acts.state.${act.state}`)}</Status>
        </span>
        {act.reason && <span className="soft">{act.reason}</span>}
        <Ends act={act} />
        <Outcome act={act} />
        {act.undoable && (
          <span>
            <Action size="bar" reason={block} onClick={() => setUndoing(true)}>
              {t("acts.undo.open")}
            </Action>
          </span>
        )}
      </span>
      <time className={`${classes.entryTime} dim num`} dateTime={act.started_at}>
        {format.moment(act.started_at)}
      </time>
      {undoing && <UndoDialog act={act} onClose={() => setUndoing(false)} />}
    </li>
  );
}

function Ends({ act: { state, until, ended_at: ended } }: { act: Act }) {
  const { t } = useTranslation("abuse");
  const format = useFormat();
  if (ended) return <span className="dim">{t("acts.endedAt", { when: format.moment(ended) })}</span>;
  if (!until || (state !== "active" && state !== "pending")) return null;
  return (
    <span className="dim">
      {t("acts.ends")} <RelativeTime at={until} />
    </span>
  );
}

/** What came of it: told only where there is something to tell, and each failure by itself. */
function Outcome({ act: { result } }: { act: Act }) {
  const { t } = useTranslation("abuse");
  const { nodes, streams, networks, flows, limits, error } = result;
  const what = [
    nodes.length > 0 && t("acts.nodes", { count: nodes.length, done: nodes.filter(({ ok }) => ok === true).length }),
    streams > 0 && t("acts.streams", { count: streams }),
    ...networks,
    ...flows.map(({ name }) => name || t("gone")),
    limits && t("acts.limits", { speed: limits.speed_mbps, count: limits.addresses }),
  ].filter((one): one is string => typeof one === "string");
  const failed = nodes.filter(({ ok, error }) => ok === false || error !== "");
  return (
    <>
      {what.length > 0 && <span className="dim num">{what.join(", ")}</span>}
      {error !== "" && <span className="soft">{t(`acts.error.${error}`, { defaultValue: error })}</span>}
      {failed.map(({ node_id: id, node, error }) => (
        <span key={id}>
          <Glyph kind="down" /> <span className="strong">{node || t("gone")}</span>{" "}
          <span className="soft">{t(`acts.error.${error}`, { defaultValue: error })}</span>
        </span>
      ))}
    </>
  );
}

function UndoDialog({ act, onClose }: { act: Act; onClose: () => void }) {
  const { t } = useTranslation("abuse");
  const undo = useUndo();
  const done = () => {
    toastDone(t("acts.undo.done"));
    onClose();
  };
  return (
    <Confirm
      opened
      danger={false}
      onClose={onClose}
      onConfirm={() => undo.mutate(act.id, { onSuccess: done })}
      title={t("acts.undo.title", { act: t(`act.${act.kind}.verb`) })}
      verb={t("acts.undo.verb")}
      busy={undo.isPending}
      error={undo.error}
    >
      {t(`act.${act.kind}.undone`)}
    </Confirm>
  );
}
