import { Table } from "@mantine/core";
import { IconCheck, IconPlayerPlay, IconQrcode, IconX } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ActionLink } from "@/components/action/action";
import { Card } from "@/components/layout/card";
import { Columns } from "@/components/layout/columns";
import { Glyph, Spinner } from "@/components/status/glyph";
import { PageHeader } from "@/components/layout/page-header";
import { Progress } from "@/components/chart/spark";
import { Segmented } from "@/components/form/segmented";
import { Status, Tag } from "@/components/status/status";
import { useNow } from "@/components/text/use-now";
import { formatCountdown } from "@/text/format";
import { useFormat } from "@/text/use-format";
import type { Apply, ApplyStep, Flow, Stage, StageName } from "../shared/api";
import classes from "./apply.module.css";
import { useCheckWords } from "../shared/check-words";
import { personName } from "../shared/person-name";
import { applyProgress, stageSeconds } from "../shared/states";

const stages: StageName[] = ["prepare", "test", "switch", "probe", "commit"];

export function ApplyView({ flow, apply }: { flow: Flow | undefined; apply: Apply }) {
  const { t } = useTranslation("flows");
  const format = useFormat();
  const who = personName(apply.started_by);
  const started =
    t("apply.started", { time: format.clock(apply.started_at, true) }) + (who ? ` ${t("by", { who })}` : "");
  return (
    <>
      <PageHeader
        title={t(`apply.title.${apply.kind}_${apply.state}`, {
          revision: apply.revision,
          number: apply.version_number,
        })}
        beside={<ApplyState apply={apply} />}
        meta={`${started}. ${apply.state === "applying" ? t("apply.leave") : ""}`}
        actions={<WhatNext apply={apply} />}
      />
      <Card flush>
        <Clock apply={apply} flow={flow} />
        {apply.steps.length > 0 ? (
          <StepTable apply={apply} />
        ) : (
          <p className={classes.nothing}>{apply.detail || t("apply.noSteps")}</p>
        )}
      </Card>
      <Columns
        width="wide"
        sideFirst
        side={
          <>
            {apply.state === "apply_failed" ? (
              <Failure apply={apply} flow={flow} />
            ) : apply.state === "applying" ? (
              <FailureRule flow={flow} />
            ) : null}
            <Bypassed apply={apply} />
          </>
        }
      >
        <Log apply={apply} />
      </Columns>
    </>
  );
}

function ApplyState({ apply }: { apply: Apply }) {
  const { t } = useTranslation("flows");
  const done = apply.steps.filter((step) => step.state === "done").length;
  if (apply.state === "applied")
    return (
      <>
        <Status kind="in-sync">{t("apply.state.applied")}</Status>
        {apply.bypassed_checks.length > 0 && (
          <Status kind="bypassed">{t("bypass.count", { count: apply.bypassed_checks.length })}</Status>
        )}
      </>
    );
  if (apply.state === "apply_failed") return <Status kind="failed">{t("apply.state.apply_failed")}</Status>;
  return <Status kind="applying">{t("apply.state.applying", { done, count: apply.steps.length })}</Status>;
}

function Clock({ apply, flow }: { apply: Apply; flow: Flow | undefined }) {
  const { t } = useTranslation("flows");
  const now = useNow();
  const end = apply.finished_at ? Date.parse(apply.finished_at) : now;
  const percent = apply.state === "applied" ? 100 : applyProgress(apply.steps);
  return (
    <div className={classes.clock}>
      <div className={classes.clockLine}>
        <span className={`${classes.time} num`}>{formatCountdown((end - Date.parse(apply.started_at)) / 1000)}</span>
        <span className="dim">{apply.state === "applying" ? t("apply.elapsed") : t("apply.took")}</span>
        <span className={classes.serves}>
          <Serving apply={apply} flow={flow} />
        </span>
      </div>
      <Progress percent={percent} label={t("apply.progress")} />
    </div>
  );
}

/** Which version carries traffic right now. */
function Serving({ apply, flow }: { apply: Apply; flow: Flow | undefined }) {
  const { t } = useTranslation("flows");
  if (apply.state === "applied" && apply.kind === "disable")
    return <Status kind="skipped">{t("serves.stopped")}</Status>;
  if (apply.state === "applied" && apply.kind === "delete")
    return <Status kind="skipped">{t("serves.deleted")}</Status>;
  if (apply.state === "applied" && apply.version_number !== null)
    return <Status kind="in-sync">{t("serves.now", { number: apply.version_number })}</Status>;
  const number = flow?.installed_version_number;
  if (number === null || number === undefined) return <Status kind="never">{t("serves.nothing")}</Status>;
  return <Status kind="in-sync">{t(apply.state === "applying" ? "serves.until" : "serves.still", { number })}</Status>;
}

function StepTable({ apply }: { apply: Apply }) {
  const { t } = useTranslation("flows");
  const reverted = apply.steps.some((step) =>
    step.stages.some((stage) => stage.stage === "revert" && stage.state !== "pending"),
  );
  const shown = reverted ? [...stages, "revert" as const] : stages;
  return (
    // A region that scrolls must be reachable by keyboard.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={classes.scroll} role="region" aria-label={t("apply.steps")} tabIndex={0}>
      <Table className={classes.table} aria-label={t("apply.steps")}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t("apply.node")}</Table.Th>
            {shown.map((stage) => (
              <Table.Th key={stage}>{t(`stage.${stage}`)}</Table.Th>
            ))}
            <Table.Th>{t("apply.now")}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {apply.steps.map((step) => (
            <Table.Tr
              key={step.node_id}
              data-active={step.stages.some((stage) => stage.state === "running") || undefined}
            >
              <Table.Td>
                <span className={classes.node}>
                  <span className="strong">{step.node_name}</span> <Tag>{t(`role.${step.role}`)}</Tag>
                </span>
              </Table.Td>
              {shown.map((name) => (
                <Table.Td key={name}>
                  <StageCell
                    stage={step.stages.find((stage) => stage.stage === name)}
                    ended={apply.state !== "applying"}
                  />
                </Table.Td>
              ))}
              <Table.Td className={classes.nowCell}>{nowOf(step) || t(`step.${step.state}`)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

function nowOf(step: ApplyStep): string {
  if (step.error) return step.error.message;
  const running = step.stages.find((stage) => stage.state === "running");
  return running?.detail ?? "";
}

function StageCell({ stage, ended }: { stage: Stage | undefined; ended: boolean }) {
  const { t } = useTranslation("flows");
  const format = useFormat();
  const now = useNow();
  if (!stage || stage.state === "pending")
    return (
      <span className={classes.stage} data-quiet>
        {ended ? (
          "—"
        ) : (
          <>
            <Glyph kind="no-data" /> {t("stage.queued")}
          </>
        )}
      </span>
    );
  if (stage.state === "skipped")
    return (
      <span className={classes.stage} data-quiet>
        <Glyph kind="skipped" /> {t("stage.skipped")}
      </span>
    );
  const seconds = stageSeconds(stage, now);
  const length = seconds === undefined ? "" : t("seconds", { value: format.number(seconds, 1) });
  if (stage.state === "running")
    return (
      <span className={classes.stage} data-running>
        <Spinner size={12} /> {t("stage.running")}
      </span>
    );
  return (
    <span className={classes.stage} data-failed={stage.state === "failed" || undefined}>
      {stage.state === "failed" ? (
        <IconX size={14} stroke={2} className={classes.bad} aria-label={t("stage.failed")} />
      ) : (
        <IconCheck size={14} stroke={2} className={classes.good} aria-label={t("stage.done")} />
      )}
      <span className="num">{length}</span>
    </span>
  );
}

function Log({ apply }: { apply: Apply }) {
  const { t } = useTranslation("flows");
  const format = useFormat();
  const [node, setNode] = useState("all");
  const steps = apply.steps.filter((step) => node === "all" || step.node_id === node);
  const lines = steps
    .flatMap((step) => step.stages.map((stage) => ({ step, stage })))
    .filter(({ stage }) => stage.started_at !== null)
    .sort((a, b) => Date.parse(a.stage.started_at!) - Date.parse(b.stage.started_at!));
  const output = steps.flatMap((step) => (step.error?.output ? [step.error.output] : []));
  return (
    <Card
      flush
      title={t("apply.log")}
      right={
        apply.steps.length > 1 && apply.steps.length < 5 ? (
          <Segmented
            label={t("apply.logOf")}
            value={node}
            onChange={setNode}
            options={[
              { value: "all", label: t("apply.allNodes") },
              ...apply.steps.map((step) => ({ value: step.node_id, label: step.node_name })),
            ]}
          />
        ) : undefined
      }
    >
      {/* A scrolled region must be reachable by keyboard. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className={classes.log} role="log" aria-label={t("apply.log")} tabIndex={0}>
        {lines.map(({ step, stage }) => (
          <p key={`${step.node_id} ${stage.stage}`} data-failed={stage.state === "failed" || undefined}>
            <span className="dim">{format.clock(stage.started_at!, true)}</span>
            <span className="dim">{step.node_name}</span>
            <span className="dim">{t(`stage.${stage.stage}`)}</span>
            <span>
              {stage.state === "running" && <Spinner size={11} />}{" "}
              {stage.detail || t(`stage.${stage.state === "running" ? "running" : stage.state}`)}
            </span>
          </p>
        ))}
        {output.map((text, index) => (
          <pre key={index}>{text}</pre>
        ))}
        {lines.length === 0 && <p className="dim">{t("apply.noLog")}</p>}
      </div>
    </Card>
  );
}

function FailureRule({ flow }: { flow: Flow | undefined }) {
  const { t } = useTranslation("flows");
  const number = flow?.installed_version_number;
  return (
    <Card title={t("apply.ifFails")}>
      <ol className={classes.rule}>
        <li>{t("apply.rule1")}</li>
        <li>{number ? t("apply.rule2", { number }) : t("apply.rule2First")}</li>
        <li>{t("apply.rule3")}</li>
      </ol>
    </Card>
  );
}

/** Why it failed, and that users keep what they had. */
function Failure({ apply, flow }: { apply: Apply; flow: Flow | undefined }) {
  const { t } = useTranslation("flows");
  const number = flow?.installed_version_number;
  const notBack = apply.steps.filter((step) => step.state === "revert_failed").map((step) => step.node_name);
  return (
    <Card title={t("apply.whyFailed")}>
      <div className={classes.failure} role="alert">
        <p>
          <span className="strong">{apply.error?.message ?? apply.detail}</span>
        </p>
        {apply.error?.code && <code className="dim">{apply.error.code}</code>}
        <p className="soft">{number ? t("serves.still", { number }) : t("serves.nothing")}.</p>
        {notBack.length > 0 && <p className={classes.bad}>{t("apply.notReverted", { names: notBack.join(", ") })}</p>}
      </div>
    </Card>
  );
}

function Bypassed({ apply }: { apply: Apply }) {
  const { t } = useTranslation("flows");
  const words = useCheckWords();
  if (apply.bypassed_checks.length === 0) return null;
  return (
    <Card title={t("bypass.title")} aside={apply.bypassed_checks.length}>
      <ul className={classes.bypassed}>
        {apply.bypassed_checks.map((check) => (
          <li key={`${check.key} ${check.node_id}`}>
            <Glyph kind="bypassed" size={14} label={t(`checks.${check.status}`)} />
            <span>
              {t(`checks.group.${check.group}`)}: {words(check)}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function WhatNext({ apply }: { apply: Apply }) {
  const { t } = useTranslation("flows");
  const base = `/flows/${apply.flow_id}`;
  if (apply.state === "applying") return null;
  if (apply.state === "apply_failed")
    return (
      <ActionLink kind="filled" icon={IconPlayerPlay} to={`${base}/graph`}>
        {t("plan.openDraft")}
      </ActionLink>
    );
  if (apply.kind === "delete") return <ActionLink to="/flows">{t("apply.toFlows")}</ActionLink>;
  return (
    <>
      <ActionLink to={`${base}/versions`}>{t("apply.toVersions")}</ActionLink>
      <ActionLink kind="filled" icon={IconQrcode} to={`${base}/clients`}>
        {t("apply.toLinks")}
      </ActionLink>
    </>
  );
}
