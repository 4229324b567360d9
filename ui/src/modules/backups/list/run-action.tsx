import { IconPlayerPlay } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { isProblem } from "@/api/problem";
import { Action, ActionLink } from "@/components/action/action";
import { problemText } from "@/text/problem-text";
import { useFormat } from "@/text/use-format";
import classes from "../backups.module.css";
import { goesOn, useStartRun, type Profile, type Run } from "../shared/api";

interface RunActionProps {
  profile: Profile;
  /** The newest run; undefined while it is not known, null before the first. */
  last: Run | null | undefined;
  block: string | undefined;
}

/** Starts a backup. While one goes on there is nothing to start: the button says since when and opens it. */
export function RunAction({ profile, last, block }: RunActionProps) {
  const { t } = useTranslation("backups");
  const format = useFormat();
  const navigate = useNavigate();
  const start = useStartRun();
  if (last && goesOn(last.state))
    return (
      <ActionLink size="bar" to="/backups/runs/$id" params={{ id: last.id }}>
        {last.started_at
          ? t("run.since", { time: format.clock(last.started_at) })
          : t("run.queuedSince", { time: format.clock(last.created_at) })}
      </ActionLink>
    );
  const begin = () =>
    start.mutate(profile.id, {
      onSuccess: (run) => void navigate({ to: "/backups/runs/$id", params: { id: run.id } }),
    });
  // Where somebody else was faster, the lists are read again and the button opens that run.
  const failed = start.error !== null && !isProblem(start.error, "backup_run_active");
  return (
    <>
      <Action size="bar" icon={IconPlayerPlay} onClick={begin} busy={start.isPending} reason={block}>
        {t("run.now")}
      </Action>
      {failed && (
        <span className={classes.wrong} role="alert">
          {problemText(start.error)}
        </span>
      )}
    </>
  );
}
