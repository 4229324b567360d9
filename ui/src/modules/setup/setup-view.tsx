import { IconLock } from "@tabler/icons-react";
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
import type { Results } from "./progress";
import classes from "./setup.module.css";

interface SetupViewProps {
  steps: SetupStep[];
  open: string;
  results: Results;
  administrator: boolean;
  readOnly: boolean;
  onOpen: (key: string) => void;
  onDone: (key: string) => (result?: string) => void;
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
                data-done={step.key in results || undefined}
              >
                <StepMark
                  number={number + 1}
                  state={step.key === open ? "now" : step.key in results ? "done" : "later"}
                />
                <span className={classes.step}>
                  {step.label[language]}
                  {results[step.key] && <span className={classes.result}>{results[step.key]}</span>}
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
              <Locked title={current.label[language]} onSkip={() => onDone(current.key)(t("skipped"))} />
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

function Locked({ title, onSkip }: { title: string; onSkip: () => void }) {
  const { t } = useTranslation("setup");
  return (
    <SetupBody title={title}>
      <EmptyState
        icon={IconLock}
        title={t("locked")}
        act={
          <Action size="dialog" onClick={onSkip}>
            {t("skip")}
          </Action>
        }
      >
        {t("lockedText")}
      </EmptyState>
    </SetupBody>
  );
}
