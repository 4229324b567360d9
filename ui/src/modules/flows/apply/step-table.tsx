import { Table } from "@mantine/core";
import { IconCheck, IconX } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Glyph, Spinner } from "@/components/status/glyph";
import { Tag } from "@/components/status/status";
import { useNow } from "@/components/text/use-now";
import { useFormat } from "@/text/use-format";
import { inTurn } from "../canary/in-turn";
import type { Apply, ApplyStep, Stage, StageName } from "../shared/api";
import { NodeLink } from "../shared/node-link";
import { useSaid } from "../shared/said";
import { stageSeconds } from "../shared/states";
import { doingOf } from "./apply-status";
import classes from "./apply.module.css";

const stages: StageName[] = ["prepare", "test", "switch", "probe", "commit"];

interface StepTableProps {
  apply: Apply;
  /** The node whose log is shown. */
  chosen: string;
  onChoose: (node: string) => void;
}

/** Nodes and their stages; what a node does now leads to its lines in the log. */
export function StepTable({ apply, chosen, onChoose }: StepTableProps) {
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
          {inTurn(apply.steps, apply.canary).map((step) => (
            <Table.Tr
              key={step.node_id}
              data-active={step.stages.some((stage) => stage.state === "running") || undefined}
              data-failed={step.error !== null || undefined}
            >
              <Table.Td>
                <span className={classes.node}>
                  <NodeLink id={step.node_id}>{step.node_name}</NodeLink> <Tag>{t(`role.${step.role}`)}</Tag>
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
              <Table.Td className={classes.nowCell}>
                <button
                  type="button"
                  className={classes.toLog}
                  aria-pressed={chosen === step.node_id}
                  onClick={() => onChoose(chosen === step.node_id ? "all" : step.node_id)}
                >
                  <Now step={step} applying={apply.state === "applying"} />
                </button>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

function Now({ step, applying }: { step: ApplyStep; applying: boolean }) {
  const { t } = useTranslation("flows");
  const said = useSaid();
  const doing = doingOf(step, applying);
  if (doing.kind === "failed") {
    const words = said(doing.stage?.text ?? { code: step.error!.code, text: step.error!.message });
    return <span className={classes.bad}>{words}</span>;
  }
  if (doing.kind === "running")
    return said(doing.stage?.text) || t("apply.runs", { stage: t(`stage.${doing.stage!.stage}`) });
  if (doing.kind === "commit") return t("apply.waitsToCommit");
  if (doing.kind === "waits") return t("apply.waitsForTurn");
  return t(`step.${step.state}`);
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
