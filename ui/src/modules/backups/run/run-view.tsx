import { IconDownload, IconPlayerStop, IconRestore, IconShieldCheck } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { CopyButton } from "@/components/action/copy-button";
import { Card, Facts } from "@/components/layout/card";
import { Columns } from "@/components/layout/columns";
import { Meta, PageHeader } from "@/components/layout/page-header";
import { ProblemNote } from "@/components/state/problem-view";
import { Glyph, Spinner } from "@/components/status/glyph";
import { Status } from "@/components/status/status";
import { CodeBlock } from "@/components/text/code-block";
import { useNow } from "@/components/text/use-now";
import { useFormat } from "@/text/use-format";
import classes from "../backups.module.css";
import { goesOn, type Artefact, type Restore, type Run } from "../shared/api";
import { runGlyphs, secondsOf, useReason, useStepWords } from "../shared/words";
import { DestinationsList } from "./destinations-list";
import { TestsCard } from "./tests-card";

interface Act {
  run: () => void;
  busy: boolean;
}

export interface RunViewProps {
  run: Run;
  /** The restore tests of this backup, newest first; undefined while they are not known. */
  restores: readonly Restore[] | undefined;
  block: string | undefined;
  downloadBlock: string | undefined;
  cancel: Act;
  download: Act & { error: unknown };
  onTest: () => void;
  onRestore: () => void;
}

/** One backup: how it went, where it is, and what was proved of it. */
export function RunView(props: RunViewProps) {
  const { t } = useTranslation("backups");
  const { run, restores, block, download, onTest } = props;
  return (
    <>
      <Head {...props} />
      {download.error !== null && download.error !== undefined && <ProblemNote error={download.error} />}
      <Columns
        side={
          <>
            {run.artefact && <ArtefactCard artefact={run.artefact} />}
            {run.artefact && <TestsCard restores={restores} block={testBlock(run, block, t)} onTest={onTest} />}
          </>
        }
      >
        {goesOn(run.state) && <Progress run={run} />}
        {run.error && <Failure run={run} />}
        <DestinationsList run={run} />
        {run.log_tail && (
          <Card title={t("runPage.log")} aside={t("runPage.logText")}>
            <CodeBlock value={run.log_tail} what={t("runPage.log")} />
          </Card>
        )}
      </Columns>
    </>
  );
}

const isHeld = (run: Run) => run.destinations.some(({ state, kind }) => state === "succeeded" && kind !== "messenger");

/** Why what needs the files of a backup is closed. */
function testBlock(run: Run, block: string | undefined, t: (key: "runPage.gone" | "runPage.onlyChat") => string) {
  if (isHeld(run)) return block;
  return block ?? t(run.destinations.some(({ state }) => state === "succeeded") ? "runPage.onlyChat" : "runPage.gone");
}

function Head({ run, block, downloadBlock, cancel, download, onTest, onRestore }: RunViewProps) {
  const { t } = useTranslation("backups");
  const format = useFormat();
  const seconds = secondsOf(run, useNow());
  return (
    <PageHeader
      title={t("runPage.title", { name: run.profile_name })}
      beside={<Status kind={runGlyphs[run.state]}>{t(`state.${run.state}`)}</Status>}
      closed={block}
      meta={
        <>
          <Meta>{format.moment(run.created_at)}</Meta>
          <Meta>{run.trigger === "schedule" ? t("runs.bySchedule") : t("runPage.by", { name: run.started_by })}</Meta>
          {seconds !== undefined && <Meta>{t("runPage.took", { span: format.uptime(seconds) })}</Meta>}
          <Meta>
            <Link to="/backups/profiles/$id" params={{ id: run.profile_id }}>
              {t("runPage.profile")}
            </Link>
          </Meta>
        </>
      }
      actions={
        goesOn(run.state) ? (
          <Action icon={IconPlayerStop} kind="danger" onClick={cancel.run} busy={cancel.busy} reason={block}>
            {t(cancel.busy ? "runPage.cancelling" : "runPage.cancelAsk")}
          </Action>
        ) : (
          run.artefact && (
            <>
              <Action
                icon={IconDownload}
                onClick={download.run}
                busy={download.busy}
                reason={testBlock(run, downloadBlock, t)}
              >
                {t("runPage.download")}
              </Action>
              <Action icon={IconRestore} kind="danger" onClick={onRestore} reason={testBlock(run, block, t)}>
                {t("full.act")}
              </Action>
              <Action kind="filled" icon={IconShieldCheck} onClick={onTest} reason={testBlock(run, block, t)}>
                {t("test.act")}
              </Action>
            </>
          )
        )
      }
    />
  );
}

/** What the run does now; it moves with the stream. */
function Progress({ run }: { run: Run }) {
  const { t } = useTranslation("backups");
  const format = useFormat();
  const step = useStepWords();
  return (
    <Card title={t("runPage.progress")}>
      <p className={classes.line} role="status">
        <Spinner />
        <span>{step(run)}</span>
        {run.bytes > 0 && <span className="dim num">{format.bytes(run.bytes)}</span>}
      </p>
    </Card>
  );
}

function Failure({ run }: { run: Run }) {
  const { t } = useTranslation("backups");
  const reason = useReason()(run.error);
  return (
    <Card title={t("runPage.why")}>
      <p className={classes.line}>
        <Glyph kind="down" />
        <span>{reason}</span>
      </p>
      {reason !== run.error && <p className={classes.original}>{run.error}</p>}
    </Card>
  );
}

/** What was written, and by what it is known again. */
function ArtefactCard({ artefact }: { artefact: Artefact }) {
  const { t } = useTranslation("backups");
  const format = useFormat();
  const text = (value: string, what: string) => (
    <span className={classes.copied}>
      <span className={classes.ellipsis} title={value}>
        {value}
      </span>
      <CopyButton value={value} what={what} />
    </span>
  );
  return (
    <Card title={t("artefact.title")}>
      <Facts
        nameWidth={124}
        items={[
          { name: t("artefact.size"), value: format.bytes(artefact.bytes) },
          { name: t("artefact.name"), value: text(artefact.name, t("artefact.name")), mono: true },
          { name: t("artefact.panel"), value: artefact.panel_version, mono: true },
          { name: t("artefact.schema"), value: artefact.schema_version, mono: true },
          { name: t("artefact.key"), value: text(artefact.key_fingerprint, t("artefact.key")), mono: true },
          { name: t("artefact.sha256"), value: text(artefact.sha256, t("artefact.sha256")), mono: true },
        ]}
      />
    </Card>
  );
}
