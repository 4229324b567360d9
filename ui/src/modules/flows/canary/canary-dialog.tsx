import { Checkbox, NumberInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ActDialog } from "@/components/dialog/act-dialog";
import { keepPlan } from "../plan/stored-plan";
import { useCompile, type Flow, type Plan } from "../shared/api";
import classes from "./canary.module.css";

const minute = 60;
const usual = { minutes: 10, interval: 30, failures: 2 };

/** Compiles the draft again into a plan in which some nodes go first: which, and how they are watched. */
export function CanaryDialog({ flow, plan, onClose }: { flow: Flow; plan: Plan; onClose: () => void }) {
  const { t } = useTranslation("flows");
  const navigate = useNavigate();
  const compile = useCompile(flow.id);
  const able = plan.steps.filter((step) => step.action === "configure").toReversed();
  const [nodes, setNodes] = useState(able.slice(0, 1).map((step) => step.node_id));
  const [minutes, setMinutes] = useState(usual.minutes);
  const [interval, setInterval] = useState(usual.interval);
  const [failures, setFailures] = useState(usual.failures);
  return (
    <ActDialog
      onClose={onClose}
      title={t("canary.ask")}
      verb={t("canary.compile")}
      effects={[]}
      undo={t("palette.compileUndo")}
      reason={nodes.length === 0 ? t("canary.noNode") : undefined}
      fields={
        <div className={classes.fields}>
          <Checkbox.Group label={t("canary.nodes")} value={nodes} onChange={setNodes}>
            <div className={classes.nodes}>
              {able.map((step) => (
                <Checkbox
                  key={step.node_id}
                  value={step.node_id}
                  label={`${step.node_name}, ${t(`role.${step.role}`)}`}
                />
              ))}
            </div>
          </Checkbox.Group>
          <NumberInput
            size="md"
            label={t("canary.minutes")}
            min={1}
            max={1440}
            clampBehavior="strict"
            allowDecimal={false}
            value={minutes}
            onChange={(value) => setMinutes(Number(value) || 1)}
          />
          <NumberInput
            size="md"
            label={t("canary.interval")}
            min={10}
            max={Math.min(3600, minutes * minute)}
            allowDecimal={false}
            value={interval}
            onChange={(value) => setInterval(Number(value) || usual.interval)}
          />
          <NumberInput
            size="md"
            label={t("canary.failures")}
            min={1}
            max={10}
            clampBehavior="strict"
            allowDecimal={false}
            value={failures}
            onChange={(value) => setFailures(Number(value) || usual.failures)}
          />
        </div>
      }
      run={async () => {
        const fresh = await compile.mutateAsync({
          nodes,
          watch_s: minutes * minute,
          probes: { interval_s: interval, failures },
        });
        keepPlan(flow.id, fresh);
        onClose();
        void navigate({ to: `/flows/${flow.id}/plans/${fresh.id}` });
        return [];
      }}
    >
      {t("canary.text")}
    </ActDialog>
  );
}
