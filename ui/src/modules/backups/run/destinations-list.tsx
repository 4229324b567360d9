import { useTranslation } from "react-i18next";
import { Card, Row, Rows } from "@/components/layout/card";
import { Status } from "@/components/status/status";
import { useFormat } from "@/text/use-format";
import classes from "../backups.module.css";
import type { Run, RunDestination } from "../shared/api";
import { FolderHint } from "../shared/folder-hint";
import { destinationGlyphs, reasonKey, useReason } from "../shared/words";

/** What became of the backup at each of its destinations. */
export function DestinationsList({ run }: { run: Run }) {
  const { t } = useTranslation("backups");
  const good = run.destinations.filter(({ state }) => state === "succeeded").length;
  return (
    <Card
      title={t("place.title")}
      aside={run.finished_at && t("place.count", { good, count: run.destinations.length })}
      flush
    >
      <Rows label={t("place.title")}>
        {run.destinations.map((one) => (
          <Row key={one.id} className={classes.placeRow}>
            <One destination={one} />
          </Row>
        ))}
      </Rows>
    </Card>
  );
}

function One({ destination: { kind, state, url_hint: hint, panel, error, bytes } }: { destination: RunDestination }) {
  const { t } = useTranslation("backups");
  const format = useFormat();
  const reason = useReason()(error);
  const unwritable = kind === "local" && ["readOnly", "denied"].includes(reasonKey(error) ?? "");
  return (
    <>
      <span className={classes.words}>
        <span className="strong">{t(`kind.${kind as "local"}`)}</span>
        {hint && <span className={`${classes.where} mono`}>{hint}</span>}
        {panel && <span className={`${classes.where} mono`}>{panel}</span>}
      </span>
      <span className={classes.placeEnd}>
        {bytes > 0 && <span className="dim num">{format.bytes(bytes)}</span>}
        <Status kind={destinationGlyphs[state]}>{t(`place.${state}`)}</Status>
      </span>
      {error && (
        <div className={classes.placeWhy}>
          <p>{reason}</p>
          {reason !== error && <p className={classes.original}>{error}</p>}
          {unwritable && hint.startsWith("/") && <FolderHint folder={hint} />}
        </div>
      )}
    </>
  );
}
