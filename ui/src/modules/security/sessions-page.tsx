import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Confirm } from "@/components/dialog/confirm";
import { viewState } from "@/components/state/states";
import { toastDone, toastProblem } from "@/components/state/toast";
import { sessionsQuery, useEndSession, useEndSessions } from "./api";
import { SessionsView } from "./sessions-view";

export default function SessionsPage() {
  const { t } = useTranslation(["security", "app"]);
  const sessions = useQuery(sessionsQuery);
  const end = useEndSession();
  const endAll = useEndSessions();
  const [asked, setAsked] = useState(false);
  const others = (sessions.data ?? []).filter((session) => !session.current).map(({ id }) => id);
  const close = () => {
    setAsked(false);
    endAll.reset();
  };
  return (
    <>
      <SessionsView
        state={viewState(sessions)}
        ending={end.isPending ? end.variables : undefined}
        onEnd={(id) => end.mutate(id, { onError: (error) => toastProblem(t("app:sessions.failed"), error) })}
        onEndOthers={() => setAsked(true)}
      />
      <Confirm
        opened={asked}
        onClose={close}
        title={t("sessions.endOthersTitle")}
        verb={t("sessions.endOthersVerb", { count: others.length })}
        busy={endAll.isPending}
        error={endAll.error}
        onConfirm={() =>
          endAll.mutate(others, {
            onSuccess: () => {
              close();
              toastDone(t("sessions.othersEnded"));
            },
          })
        }
      >
        {t("sessions.endOthersText")}
      </Confirm>
    </>
  );
}
