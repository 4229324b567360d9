import { IconPlayerPlay } from "@tabler/icons-react";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { Progress } from "@/components/chart/spark";
import { Card } from "@/components/layout/card";
import { Columns } from "@/components/layout/columns";
import { PageHeader } from "@/components/layout/page-header";
import { Status } from "@/components/status/status";
import { useNow } from "@/components/text/use-now";
import { formatCountdown } from "@/text/format";
import { useFormat } from "@/text/use-format";
import { applyAt, canReplay } from "../replay/apply-at";
import { ReplayBar } from "../replay/replay-bar";
import { ReplayView } from "../replay/replay-view";
import { usePlayback } from "../replay/use-replay";
import type { Apply, Flow } from "../shared/api";
import { personName } from "../shared/person-name";
import { useSaid } from "../shared/said";
import { applyProgress } from "../shared/states";
import { isWatched } from "../canary/canary-acts";
import { ApplyActs } from "./apply-acts";
import { ApplyLog } from "./apply-log";
import { ApplySide } from "./apply-side";
import { goesBack } from "./apply-status";
import classes from "./apply.module.css";
import { StepTable } from "./step-table";

export function ApplyView({ flow, apply }: { flow: Flow | undefined; apply: Apply }) {
  const { t } = useTranslation("flows");
  const format = useFormat();
  const [node, setNode] = useState("all");
  const playback = usePlayback(apply);
  const { second } = playback;
  const shown = second === undefined ? apply : applyAt(apply, second);
  const time = format.clock(apply.started_at, true);
  const who = personName(apply.started_by);
  const started = who ? t("apply.startedBy", { time, who }) : t("apply.started", { time });
  return (
    <>
      <PageHeader
        title={t(`apply.title.${apply.kind}_${apply.state}`, {
          revision: apply.revision,
          number: apply.version_number,
        })}
        beside={<ApplyState apply={apply} />}
        meta={`${started}. ${apply.state === "applying" ? t("apply.leave") : ""}`}
        actions={
          <span className={classes.wideActs}>
            <ApplyActs apply={apply} flow={flow} />
          </span>
        }
      />
      <Card flush className={classes.steps}>
        <Clock apply={shown} flow={flow} second={second}>
          {second === undefined && canReplay(apply) && (
            <Action size="bar" icon={IconPlayerPlay} onClick={playback.open}>
              {t("replay.act")}
            </Action>
          )}
        </Clock>
        {second !== undefined && <ReplayBar apply={apply} playback={playback} />}
        {apply.steps.length > 0 ? (
          <StepTable apply={shown} chosen={node} onChoose={setNode} />
        ) : (
          <NoSteps apply={apply} />
        )}
      </Card>
      {second !== undefined && <ReplayView apply={apply} shown={shown} second={second} />}
      <Columns width="wide" sideFirst side={<ApplySide apply={apply} flow={flow} />}>
        <ApplyLog apply={shown} node={node} onNode={setNode} />
      </Columns>
      <div className={classes.bottom}>
        <ApplyActs apply={apply} flow={flow} />
      </div>
    </>
  );
}

function NoSteps({ apply }: { apply: Apply }) {
  const { t } = useTranslation("flows");
  const said = useSaid();
  return <p className={classes.nothing}>{said(apply.text) || apply.detail || t("apply.noSteps")}</p>;
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
  if (apply.state === "apply_failed")
    return <Status kind="failed">{t(apply.stopped_by ? "apply.state.stopped" : "apply.state.apply_failed")}</Status>;
  if (goesBack(apply)) return <Status kind="drifted">{t("apply.state.reverting")}</Status>;
  if (isWatched(apply))
    return <Status kind="applying">{t("apply.state.watched", { done, count: apply.steps.length })}</Status>;
  return <Status kind="applying">{t("apply.state.applying", { done, count: apply.steps.length })}</Status>;
}

interface ClockProps {
  apply: Apply;
  flow: Flow | undefined;
  /** The second of a replay. */
  second: number | undefined;
  children: ReactNode;
}

function Clock({ apply, flow, second, children }: ClockProps) {
  const { t } = useTranslation("flows");
  const said = useSaid();
  const now = useNow();
  const format = useFormat();
  const end = apply.finished_at ? Date.parse(apply.finished_at) : now;
  const length = (end - Date.parse(apply.started_at)) / 1000;
  const short = second === undefined && apply.finished_at && length < 10;
  const percent = apply.state === "applied" ? 100 : applyProgress(apply.steps);
  const tone = apply.state === "apply_failed" ? "crit" : goesBack(apply) ? "warn" : undefined;
  return (
    <div className={classes.clock}>
      <div className={classes.clockLine}>
        <span className={`${classes.time} num`}>
          {short ? t("seconds", { value: format.number(length, 1) }) : formatCountdown(second ?? length)}
        </span>
        <span className="dim">{apply.state === "applying" ? t("apply.elapsed") : t("apply.took")}</span>
        {apply.state === "applying" && <span className="soft">{said(apply.text)}</span>}
        <span className={classes.serves}>
          {/* Which version served at a moment that is over is not known. */}
          {apply.state !== "applying" || second === undefined ? <Serving apply={apply} flow={flow} /> : null}
        </span>
        {children}
      </div>
      <Progress percent={percent} tone={tone} label={t("apply.progress")} />
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
  const until = isWatched(apply) ? "serves.rest" : "serves.until";
  return <Status kind="in-sync">{t(apply.state === "applying" ? until : "serves.still", { number })}</Status>;
}
