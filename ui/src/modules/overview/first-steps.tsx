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

/** What an empty fleet needs, in order. Only the next step has the filled button. */
export function FirstSteps({ steps }: { steps: FirstStep[] }) {
  const { t } = useTranslation("overview");
  const next = steps.findIndex((step) => !step.done);
  return (
    <Card
      title={t("first.title")}
      aside={t("first.count", { done: steps.filter((step) => step.done).length, total: steps.length })}
      flush
      className={classes.first}
    >
      <ol>
        {steps.map((step, index) => (
          <li key={step.path} className={classes.firstStep} data-done={step.done || undefined}>
            <StepMark
              number={index + 1}
              state={step.done ? "done" : index === next ? "now" : "later"}
              done={t("first.done")}
            />
            <span className={classes.firstWords}>
              <b>{step.title}</b>
              <span className="dim">{step.text}</span>
            </span>
            {!step.done && (
              <ActionLink to={step.path} kind={index === next ? "filled" : "default"}>
                {step.act}
              </ActionLink>
            )}
          </li>
        ))}
      </ol>
    </Card>
  );
}
