import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { Card } from "@/components/layout/card";
import { ProblemView } from "@/components/state/problem-view";
import { SessionRows, type Session } from "@/components/session/session-rows";
import { Skeleton, type ViewState } from "@/components/state/states";
import { SecurityHeader } from "./security-header";
import classes from "./security.module.css";

export function SessionsView({
  state,
  ending,
  onEnd,
  onEndOthers,
}: {
  state: ViewState<Session[]>;
  ending: string | undefined;
  onEnd: (id: string) => void;
  onEndOthers: () => void;
}) {
  const { t } = useTranslation("security");
  return (
    <>
      <SecurityHeader current="sessions" lead={t("sessions.lead")} />
      {state.kind === "loading" && <Skeleton rows={4} />}
      {state.kind === "error" && <ProblemView error={state.error} onRetry={state.retry} />}
      {state.kind === "ready" && (
        <Card
          flush
          className={classes.wide}
          title={t("sessions.tab")}
          aside={state.data.length}
          right={
            state.data.some((session) => !session.current) && (
              <Action kind="danger" size="bar" onClick={onEndOthers}>
                {t("sessions.endOthers")}
              </Action>
            )
          }
        >
          <SessionRows sessions={state.data} label={t("sessions.title")} ending={ending} onEnd={onEnd} />
        </Card>
      )}
    </>
  );
}
