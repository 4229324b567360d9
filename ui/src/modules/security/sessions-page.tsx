import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { viewState } from "@/components/state/states";
import { toastProblem } from "@/components/state/toast";
import { sessionsQuery, useEndSession } from "./api";
import { SessionsView } from "./sessions-view";

export default function SessionsPage() {
  const { t } = useTranslation("app");
  const sessions = useQuery(sessionsQuery);
  const end = useEndSession();
  return (
    <SessionsView
      state={viewState(sessions)}
      ending={end.isPending ? end.variables : undefined}
      onEnd={(id) => end.mutate(id, { onError: (error) => toastProblem(t("sessions.failed"), error) })}
    />
  );
}
