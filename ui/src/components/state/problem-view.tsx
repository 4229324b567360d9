import { IconCopy, IconRefresh } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { asProblem, type Problem } from "@/api/problem";
import { problemText } from "@/text/problem-text";
import { Action } from "@/components/action/action";
import { copyText } from "@/components/action/copy-button";
import { Glyph } from "@/components/status/glyph";
import classes from "./problem-view.module.css";
import { Remedy, requiredKeys } from "./remedy";
import { NoPermission } from "./states";
import { toastDone } from "./toast";

/** A failed load in place of its content: what was tried, code, request id, Copy, and Retry where it can help. */
export function ProblemView({ error, tried, onRetry }: { error: unknown; tried?: string; onRetry?: () => void }) {
  const { t } = useTranslation("app");
  const problem = asProblem(error);
  if (problem.code === "permission_denied") return <NoPermission required={requiredKeys(problem)} />;
  return (
    <div className={classes.view} role="alert">
      <Glyph kind="down" size={16} />
      <div className={classes.words}>
        <p className="strong">{tried ?? t("problem.title")}</p>
        <p className="soft">{problemText(problem)}</p>
        <Remedy problem={problem} />
        {problem.status >= 500 && <p className="dim">{t("problem.doctor")}</p>}
        <Reference problem={problem} />
        <div className={classes.acts}>
          {problem.canRetry && onRetry && (
            <Action size="bar" icon={IconRefresh} onClick={onRetry}>
              {t("problem.retry")}
            </Action>
          )}
          <Action
            size="bar"
            kind="ghost"
            icon={IconCopy}
            onClick={() => void copyText(report(problem, tried)).then(() => toastDone(t("copy.done")))}
          >
            {t("problem.copy")}
          </Action>
        </div>
      </div>
    </div>
  );
}

/** A refusal above a form or inside a dialog. */
export function ProblemNote({ error, children }: { error: unknown; children?: ReactNode }) {
  const problem = asProblem(error);
  return (
    <div className={classes.note} role="alert">
      <Glyph kind="down" />
      <div>
        {children ?? problemText(problem)}
        <Remedy problem={problem} />
        <Reference problem={problem} quietFor={["bad_credentials", "throttled"]} />
      </div>
    </div>
  );
}

function Reference({ problem, quietFor = [] }: { problem: Problem; quietFor?: string[] }) {
  if (quietFor.includes(problem.code)) return null;
  return <p className={classes.reference}>{[problem.code, problem.requestId].filter(Boolean).join(" · ")}</p>;
}

function report(problem: Problem, tried?: string): string {
  return JSON.stringify(
    {
      tried,
      status: problem.status,
      code: problem.code,
      detail: problem.message,
      request_id: problem.requestId,
      page: window.location.pathname,
      at: new Date().toISOString(),
    },
    null,
    2,
  );
}
