import { IconArrowLeft, IconLock } from "@tabler/icons-react";
import { Suspense } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { Logo } from "@/components/layout/logo";
import { OutsideMenu } from "@/components/action/outside-menu";
import { SetupBody } from "@/components/layout/setup-frame";
import { EmptyState, Skeleton } from "@/components/state/states";
import { StepMark } from "@/components/status/step-mark";
import type { SetupStep } from "@/module";
import { useLanguage } from "@/text/use-format";
import type { Result, Results } from "./progress";
import classes from "./setup.module.css";

interface SetupViewProps {
  steps: SetupStep[];
  open: string;
  results: Results;
  administrator: boolean;
  readOnly: boolean;
  onOpen: (key: string) => void;
  onDone: (key: string) => (result?: string, skipped?: boolean) => void;
}

export function SetupView({ steps, open, results, administrator, readOnly, onOpen, onDone }: SetupViewProps) {
  const { t } = useTranslation("setup");
  const language = useLanguage();
  const index = steps.findIndex((step) => step.key === open);
  const current = steps[index];
  const before = steps[index - 1];
  const canGoBack = before !== undefined && !(administrator && (before.key === "admin" || before.key === "checks"));
  return (
    <div className={classes.page}>
      <div className={classes.left}>
        <div className={classes.brand}>
          <Logo />
          Panel
        </div>
        <nav aria-label={t("title")}>
          <p className="caps">{t("title")}</p>
          <ol className={classes.steps}>
            {steps.map((step, number) => (
              <li
                key={step.key}
                aria-current={step.key === open ? "step" : undefined}
                data-done={(results[step.key] && !results[step.key]!.skipped) || undefined}
              >
                <StepMark number={number + 1} state={markOf(step.key === open, results[step.key])} />
                <span className={classes.step}>
                  {step.label[language]}
                  {results[step.key]?.text && <span className={classes.result}>{results[step.key]!.text}</span>}
                </span>
              </li>
            ))}
          </ol>
        </nav>
        <p className={classes.later}>{t("later")}</p>
      </div>
      <div className={classes.right}>
        <OutsideMenu />
        <div className={classes.body}>
          <p className={classes.count}>{t("count", { number: index + 1, total: steps.length })}</p>
          <Suspense fallback={<Skeleton rows={5} />}>
            {current?.needsLicense && readOnly ? (
              <Locked
                title={current.label[language]}
                onBack={canGoBack ? () => onOpen(before.key) : undefined}
                onSkip={() => onDone(current.key)(t("skipped"), true)}
              />
            ) : (
              current && (
                <current.Step
                  onDone={onDone(current.key)}
                  onBack={canGoBack ? () => onOpen(before.key) : undefined}
                  readOnly={readOnly}
                />
              )
            )}
          </Suspense>
        </div>
      </div>
    </div>
  );
}

/** Only what was done has a tick; a skipped step keeps its number. */
function markOf(open: boolean, result: Result | undefined) {
  if (open) return "now";
  return result && !result.skipped ? "done" : "later";
}

interface LockedProps {
  title: string;
  onBack: (() => void) | undefined;
  onSkip: () => void;
}

function Locked({ title, onBack, onSkip }: LockedProps) {
  const { t } = useTranslation("setup");
  return (
    <SetupBody title={title}>
      <EmptyState
        icon={IconLock}
        title={t("locked")}
        act={
          <span className={classes.acts}>
            {onBack && (
              <Action kind="ghost" size="dialog" icon={IconArrowLeft} onClick={onBack}>
                {t("back")}
              </Action>
            )}
            <Action size="dialog" onClick={onSkip}>
              {t("skip")}
            </Action>
          </span>
        }
      >
        {t("lockedText")}
      </EmptyState>
    </SetupBody>
  );
}
