import { IconSend } from "@tabler/icons-react";
import { useEffect, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { asProblem, type Problem } from "@/api/problem";
import { Action } from "@/components/action/action";
import { ProblemNote } from "@/components/state/problem-view";
import { Glyph } from "@/components/status/glyph";
import type { Language } from "@/text/format";
import { useLanguage } from "@/text/use-format";
import type { Delivery } from "./api";
import classes from "./notifications.module.css";

export interface TestRun {
  run: () => void;
  busy: boolean;
  sent: boolean;
  error: unknown;
}

/** The button of the test and how it went. */
export function MessengerTest({ test, reason, missing }: { test: TestRun; reason?: string; missing: string }) {
  const { t } = useTranslation("notifications");
  return (
    <>
      <div className={classes.trial}>
        <Action icon={IconSend} onClick={test.run} busy={test.busy} reason={reason}>
          {t("test.act")}
        </Action>
        <span className="dim">{t("test.help")}</span>
      </div>
      <TestOutcome test={test} missing={missing} />
    </>
  );
}

/**
 * How the test went: sent; a token or chat that is missing, with the focus on its field; the messenger's own words; or
 * no answer in time, with what to look at.
 */
export function TestOutcome({ test: { busy, sent, error }, missing }: { test: TestRun; missing: string }) {
  const { t } = useTranslation("notifications");
  const language = useLanguage();
  const code = !busy && error ? asProblem(error).code : undefined;
  useEffect(() => {
    if (code === "notifications_not_configured") document.getElementById(missing)?.focus();
  }, [code, missing]);
  if (busy) return null;
  if (sent)
    return (
      <div className={classes.outcome} role="status">
        <Glyph kind="healthy" />
        <div>{t("test.sent")}</div>
      </div>
    );
  if (code === undefined) return null;
  if (code === "notifications_not_configured") return <Failed title={t("test.missing")} />;
  if (code === "messenger_error")
    return (
      <Failed title={t("test.refused")}>
        <blockquote className={classes.said}>{saidBy(asProblem(error), language)}</blockquote>
      </Failed>
    );
  if (code === "messenger_timeout") return <Failed title={t("test.late")}>{t("test.lateHint")}</Failed>;
  return <ProblemNote error={error} />;
}

function Failed({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className={classes.outcome} role="alert">
      <Glyph kind="down" />
      <div>
        <p className="strong">{title}</p>
        {children !== undefined && <div className="soft">{children}</div>}
      </div>
    </div>
  );
}

/** The messenger's own words, or in the reader's language why it could not be asked. */
export function saidBy({ document, message }: Problem, language: Language): string {
  const reason = document["reason"] as Delivery["reason"] | undefined;
  if (!reason) return message;
  return reason.code === "messenger_refused" ? reason.detail : reason[language];
}
