import { useTranslation } from "react-i18next";
import { Segmented } from "@/components/form/segmented";
import { Card } from "@/components/layout/card";
import { Spinner } from "@/components/status/glyph";
import { useFormat } from "@/text/use-format";
import type { Apply, ApplyStep, Stage } from "../shared/api";
import { useSaid } from "../shared/said";
import classes from "./apply.module.css";

interface ApplyLogProps {
  apply: Apply;
  node: string;
  onNode: (node: string) => void;
}

/** What happened, stage by stage as it began; what the core printed stands under the stage that it failed in. */
export function ApplyLog({ apply, node, onNode }: ApplyLogProps) {
  const { t } = useTranslation("flows");
  const lines = linesOf(apply, node);
  const name = apply.steps.find((step) => step.node_id === node)?.node_name;
  return (
    <Card
      flush
      title={t("apply.log")}
      aside={name ?? t("apply.allNodes")}
      right={
        apply.steps.length > 1 && apply.steps.length < 5 ? (
          <Segmented
            label={t("apply.logOf")}
            value={node}
            onChange={onNode}
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
        {lines.map((line) => (
          <Line key={`${line.step.node_id} ${line.stage.stage}`} {...line} />
        ))}
        {lines.length === 0 && <p className="dim">{t("apply.noLog")}</p>}
      </div>
    </Card>
  );
}

interface LogLine {
  step: ApplyStep;
  stage: Stage;
  output: string | undefined;
}

/** Lines in the order in which the stages began. The output of a step belongs to its stage that failed. */
export function linesOf(apply: Apply, node: string): LogLine[] {
  return apply.steps
    .filter((step) => node === "all" || step.node_id === node)
    .flatMap((step) =>
      step.stages.map((stage) => ({
        step,
        stage,
        output: stage.state === "failed" && stage.stage !== "revert" ? step.error?.output : undefined,
      })),
    )
    .filter(({ stage }) => stage.started_at !== null)
    .sort((a, b) => Date.parse(a.stage.started_at!) - Date.parse(b.stage.started_at!));
}

function Line({ step, stage, output }: LogLine) {
  const { t } = useTranslation("flows");
  const format = useFormat();
  const said = useSaid();
  const words = said(stage.text) || stage.detail;
  return (
    <>
      <p data-failed={stage.state === "failed" || undefined}>
        <span className="dim">{format.clock(stage.started_at!, true)}</span>
        <span className="dim">{step.node_name}</span>
        <span className="dim">{t(`stage.${stage.stage}`)}</span>
        <span>
          {stage.state === "running" && <Spinner size={11} />} {words || t(`stage.${stage.state}`)}
        </span>
      </p>
      {output && <pre>{output}</pre>}
    </>
  );
}
