import { IconShieldCheck } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { Card, Row, Rows } from "@/components/layout/card";
import { Skeleton } from "@/components/state/states";
import { Status } from "@/components/status/status";
import { RelativeTime } from "@/components/text/relative-time";
import { useFormat } from "@/text/use-format";
import classes from "../backups.module.css";
import type { Restore } from "../shared/api";
import { testState, useReason, useStepWords, verdictGlyphs } from "../shared/words";

interface TestsProps {
  restores: readonly Restore[] | undefined;
  block: string | undefined;
  onTest: () => void;
}

/** Whether this backup can be restored: what each test of it has found. */
export function TestsCard({ restores, block, onTest }: TestsProps) {
  const { t } = useTranslation("backups");
  if (restores === undefined) return <Skeleton rows={2} />;
  if (restores.length === 0)
    return (
      <Card title={t("test.title")}>
        <div className={classes.fields}>
          <p className="soft">{t("test.none")}</p>
          <div>
            <Action icon={IconShieldCheck} onClick={onTest} reason={block}>
              {t("test.act")}
            </Action>
          </div>
        </div>
      </Card>
    );
  return (
    <Card title={t("test.title")} flush>
      <Rows label={t("test.title")}>
        {restores.map((restore) => (
          <Row key={restore.id} className={classes.testRow}>
            {restore.mode === "full" && <p className="strong">{t("full.title.was")}</p>}
            <TestOutcome restore={restore} />
          </Row>
        ))}
      </Rows>
    </Card>
  );
}

/** How a restore test stands: what it does, or what it has found. */
export function TestOutcome({ restore }: { restore: Restore }) {
  const { t } = useTranslation("backups");
  const step = useStepWords();
  const reason = useReason();
  const state = testState(restore);
  const { report, error, finished_at: finished } = restore;
  const known = error ? reason(error) : "";
  return (
    <div className={classes.outcome} role="status">
      <span className={classes.line}>
        <Status kind={verdictGlyphs[state]}>
          {t(restore.mode === "full" ? `full.is.${restore.state}` : `test.is.${state}`)}
        </Status>
        {finished && (
          <span className="dim">
            <RelativeTime at={finished} />
          </span>
        )}
      </span>
      {state === "goesOn" && <span className="soft">{step(restore)}</span>}
      {known && <span>{known}</span>}
      {known !== error && <span className={classes.original}>{error}</span>}
      {report && <ReportLines report={report} />}
    </div>
  );
}

function ReportLines({ report }: { report: NonNullable<Restore["report"]> }) {
  const { t } = useTranslation("backups");
  const format = useFormat();
  return (
    <ul className={classes.report}>
      <li>{t("test.tables", { count: report.tables, rows: format.number(report.rows) })}</li>
      <li>{t("test.secrets", { count: report.secrets })}</li>
      <li>{t("test.journal", { count: report.journal })}</li>
      {report.findings.map((finding) => (
        <li key={finding} className={classes.finding}>
          {finding}
        </li>
      ))}
    </ul>
  );
}
