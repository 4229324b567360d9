import { useTranslation } from "react-i18next";
import { ActionLink } from "@/components/action/action";
import { Card } from "@/components/layout/card";
import { StepMark } from "@/components/status/step-mark";
import classes from "./overview.module.css";

export interface FirstStep {
  order: number;
  title: string;
  text: string;
  act: string;
  path: string;
  done: boolean;
}

/**
 * What an empty fleet needs, in order. Only the next step has the filled button. Once a single step is left, what is
 * done is only counted: by then the figures below are what people come for.
 */
export function FirstSteps({ steps }: { steps: FirstStep[] }) {
  const { t } = useTranslation("overview");
  const next = steps.findIndex((step) => !step.done);
  const brief = steps.filter((step) => !step.done).length === 1;
  return (
    <Card
      title={t("first.title")}
      aside={t("first.count", { done: steps.filter((step) => step.done).length, total: steps.length })}
      flush
      className={classes.first}
    >
      <ol>
        {steps.map(
          (step, index) =>
            !(brief && step.done) && <Step key={step.path} step={step} index={index} next={index === next} />,
        )}
      </ol>
    </Card>
  );
}

function Step({ step, index, next }: { step: FirstStep; index: number; next: boolean }) {
  const { t } = useTranslation("overview");
  return (
    <li className={classes.firstStep} data-done={step.done || undefined}>
      <StepMark number={index + 1} state={step.done ? "done" : next ? "now" : "later"} done={t("first.done")} />
      <span className={classes.firstWords}>
        <b>{step.title}</b>
        <span className="dim">{step.text}</span>
      </span>
      {!step.done && (
        <ActionLink to={step.path} kind={next ? "filled" : "default"}>
          {step.act}
        </ActionLink>
      )}
    </li>
  );
}
