import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { setupStateQuery, type SetupState } from "@/api/setup";
import { Action } from "@/components/action/action";
import { Card, Row, Rows } from "@/components/layout/card";
import { Glyph } from "@/components/status/glyph";
import { ProblemView } from "@/components/state/problem-view";
import { Segmented } from "@/components/form/segmented";
import { SetupBody, SetupFoot } from "@/components/layout/setup-frame";
import { Skeleton, viewState } from "@/components/state/states";
import type { SetupStepProps } from "@/module";
import type { Language } from "@/text/format";
import { changeLanguage } from "@/text/i18n";
import { useLanguage } from "@/text/use-format";
import classes from "./setup.module.css";

// Without these the panel cannot work at all; the others are advice.
const necessary = new Set(["database", "clock"]);

export default function ChecksStep({ onDone }: SetupStepProps) {
  const { t } = useTranslation("setup");
  const language = useLanguage();
  const state = viewState(useQuery(setupStateQuery));
  const checks = state.kind === "ready" ? withBrowserClock(state.data) : [];
  const passed = checks.filter((check) => check.ok).length;
  const broken = checks.some((check) => !check.ok && necessary.has(check.id));
  return (
    <SetupBody title={t("checks.title")} lead={t("checks.lead")}>
      <div className={classes.language}>
        <span>{t("checks.language")}</span>
        <Segmented<Language>
          label={t("checks.language")}
          value={language}
          onChange={(next) => void changeLanguage(next)}
          options={[
            { value: "en", label: "English" },
            { value: "ru", label: "Русский" },
          ]}
        />
      </div>
      {state.kind === "loading" && <Skeleton rows={4} />}
      {state.kind === "error" && <ProblemView error={state.error} onRetry={state.retry} />}
      {state.kind === "ready" && (
        <Card flush>
          <Rows label={t("checks.title")}>
            {checks.map((check) => (
              <Row key={check.id}>
                <Glyph
                  kind={check.ok ? "healthy" : necessary.has(check.id) ? "down" : "degraded"}
                  label={check.ok ? t("checks.passed") : t("checks.attention")}
                />
                <span className={classes.checkName}>{t(`check.${check.id}.name`, { defaultValue: check.id })}</span>
                <span className="soft">{t(`check.${check.id}.${check.ok ? "ok" : "not"}`, { defaultValue: "" })}</span>
              </Row>
            ))}
          </Rows>
        </Card>
      )}
      <SetupFoot>
        <Action
          kind="filled"
          size="dialog"
          onClick={() => onDone(t("checks.result", { passed, total: checks.length }))}
          reason={state.kind !== "ready" || broken ? t("checks.blocked") : undefined}
        >
          {t("continue")}
        </Action>
      </SetupFoot>
    </SetupBody>
  );
}

/** A server clock that disagrees with this browser by more than 30 s is worth a look. */
function withBrowserClock(state: SetupState): { id: string; ok: boolean }[] {
  const close = Math.abs(Date.parse(state.server_time) - Date.now()) < 30_000;
  return state.checks
    .map((check) => (check.id === "clock" ? { ...check, ok: check.ok && close } : check))
    .map((check) => (check.id === "clock" && !close ? { id: "clock_offset", ok: false } : check));
}
