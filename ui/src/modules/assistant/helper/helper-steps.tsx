import { useMutation } from "@tanstack/react-query";
import { IconExternalLink, IconRefresh, IconSend } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { asProblem } from "@/api/problem";
import { Action, ActionLink } from "@/components/action/action";
import { ProblemNote } from "@/components/state/problem-view";
import { StepMark } from "@/components/status/step-mark";
import type { Language } from "@/text/format";
import { problemText } from "@/text/problem-text";
import { useLanguage } from "@/text/use-format";
import { send, type Helper, type HelperStep, type useHelper } from "../api";
import classes from "../sheet/sheet.module.css";

const marks = { done: "done", current: "now", waiting: "later" } as const;

export type HelperActs = ReturnType<typeof useHelper>;

/** The steps with what to do at the one that is next; the work is done on the panel's own pages. */
export function HelperSteps({ held, helper: { check, end } }: { held: Helper; helper: HelperActs }) {
  const { t } = useTranslation("assistant");
  const done = held.step === "done";
  return (
    <>
      <ol className={classes.helperSteps}>
        {held.steps.map((step, index) => (
          <li key={step.key} aria-current={step.state === "current" ? "step" : undefined}>
            <StepMark state={marks[step.state]} number={index + 1} done={t("helper.stepDone")} />
            <div>
              <p className={step.state === "waiting" ? "dim" : "strong"}>{step.title}</p>
              {step.state === "current" && <Work step={step} onSent={() => check.mutate(true)} />}
            </div>
          </li>
        ))}
      </ol>
      {done && (
        <p role="status" className="strong">
          {t("helper.done")}
        </p>
      )}
      {check.error !== null && <ProblemNote error={check.error} />}
      {end.error !== null && <ProblemNote error={end.error} />}
      <div className={classes.acts}>
        <Action kind={done ? "filled" : "ghost"} busy={end.isPending} onClick={() => end.mutate(held.id)}>
          {t(done ? "helper.finish" : "helper.end")}
        </Action>
        {!done && (
          <Action icon={IconRefresh} busy={check.isPending} onClick={() => check.mutate(false)}>
            {t("helper.check")}
          </Action>
        )}
      </div>
    </>
  );
}

function Work({ step, onSent }: { step: HelperStep; onSent: () => void }) {
  const { t } = useTranslation("assistant");
  const { request } = step;
  const trial = useMutation({ mutationFn: () => send(request!), onSuccess: onSent });
  const sends = step.key === "test" && request !== null;
  return (
    <>
      <p className="soft">{step.text}</p>
      {trial.error !== null && <NotSent error={trial.error} />}
      <div className={classes.acts}>
        {step.href !== "" && (
          <ActionLink size="bar" kind="default" icon={IconExternalLink} to={step.href}>
            {t("helper.open")}
          </ActionLink>
        )}
        {sends && (
          <Action size="bar" kind="filled" icon={IconSend} busy={trial.isPending} onClick={() => trial.mutate()}>
            {t("helper.send")}
          </Action>
        )}
      </div>
    </>
  );
}

/** The refusal with the messenger's own words, or why it could not be asked. */
function NotSent({ error }: { error: unknown }) {
  const language = useLanguage();
  const reason = asProblem(error).document["reason"] as Record<Language | "detail", string> | undefined;
  const said = reason?.detail || reason?.[language];
  return (
    <ProblemNote error={error}>
      {problemText(error)}
      {said !== undefined && <blockquote className={classes.said}>{said}</blockquote>}
    </ProblemNote>
  );
}
