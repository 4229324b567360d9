import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import type { GlyphKind } from "@/components/status/glyph";
import { ProblemNote } from "@/components/state/problem-view";
import { RelativeTime } from "@/components/text/relative-time";
import { Skeleton } from "@/components/state/states";
import { Status } from "@/components/status/status";
import type { Operation } from "./api";
import classes from "./tray.module.css";

const glyphs: Record<Operation["state"], GlyphKind> = {
  queued: "waiting",
  running: "applying",
  succeeded: "healthy",
  failed: "failed",
  cancelled: "skipped",
};

interface TrayViewProps {
  operations: Operation[] | undefined;
  error: unknown;
  onRetry: () => void;
  onCancel: (id: string) => void;
  cancelling: string | undefined;
}

/** The latest operations, newest first. */
export function TrayView({ operations, error, onRetry, onCancel, cancelling }: TrayViewProps) {
  const { t } = useTranslation("operations");
  if (error && !operations)
    return (
      <div className={classes.note}>
        <ProblemNote error={error} />
        <Action onClick={onRetry}>{t("retry")}</Action>
      </div>
    );
  if (!operations) return <Skeleton rows={3} />;
  if (operations.length === 0) return <p className={classes.note}>{t("none")}</p>;
  return (
    <ul className={classes.list} aria-label={t("title")}>
      {operations.map((operation) => (
        <Row
          key={operation.id}
          operation={operation}
          onCancel={() => onCancel(operation.id)}
          busy={cancelling === operation.id}
        />
      ))}
    </ul>
  );
}

function Row({ operation, onCancel, busy }: { operation: Operation; onCancel: () => void; busy: boolean }) {
  const { t } = useTranslation(["operations", "words"]);
  const name = t(`words:job.${operation.kind}`, { defaultValue: operation.kind });
  const active = operation.finished_at === null;
  return (
    <li className={classes.row}>
      <div className={classes.head}>
        <span className={classes.name}>
          {name}
          {operation.about.name && <span className="dim"> · {operation.about.name}</span>}
        </span>
        <Status kind={glyphs[operation.state]}>{t(`state.${operation.state}`)}</Status>
      </div>
      {operation.state === "running" && (
        <progress
          className={classes.progress}
          value={operation.progress}
          max={100}
          aria-label={t("progress", { name })}
        />
      )}
      {operation.error && <p className={classes.error}>{operation.error}</p>}
      <div className={classes.foot}>
        <span className="dim">
          {operation.started_by} · <RelativeTime at={operation.finished_at ?? operation.created_at} />
        </span>
        {active && (
          <Action kind="ghost" size="bar" busy={busy} onClick={onCancel} aria-label={t("cancelOf", { name })}>
            {t("cancel")}
          </Action>
        )}
      </div>
    </li>
  );
}
