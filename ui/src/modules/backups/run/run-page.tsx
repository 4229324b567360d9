import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Confirm } from "@/components/dialog/confirm";
import { ProblemView } from "@/components/state/problem-view";
import { Skeleton } from "@/components/state/states";
import { toastProblem } from "@/components/state/toast";
import { RestoreDialog } from "../restore/restore-dialog";
import { profileQuery, restoresQuery, runQuery, useCancelRun, useDownload, type Run } from "../shared/api";
import { useBlock, useDownloadBlock } from "../shared/block";
import { RunView } from "./run-view";
import { TestDialog } from "./test-dialog";

export default function RunPage() {
  const { t } = useTranslation("backups");
  const { id = "" } = useParams({ strict: false });
  const run = useQuery(runQuery(id));
  if (run.data) return <Shown run={run.data} />;
  if (run.error)
    return <ProblemView error={run.error} tried={t("runPage.loadFailed")} onRetry={() => void run.refetch()} />;
  return <Skeleton rows={8} />;
}

function Shown({ run }: { run: Run }) {
  const { t } = useTranslation("backups");
  const profile = useQuery(profileQuery(run.profile_id)).data;
  const restores = useQuery(restoresQuery).data?.filter(({ run_id: of }) => of === run.id);
  const cancel = useCancelRun();
  const download = useDownload();
  const [asking, setAsking] = useState<"cancel" | "test" | "restore">();
  const close = () => setAsking(undefined);
  const fetchFile = () =>
    download.mutate(
      { id: run.id, name: run.artefact?.name ?? run.id },
      { onError: (error) => toastProblem(t("runPage.downloadFailed"), error) },
    );
  return (
    <>
      <RunView
        run={run}
        restores={restores}
        block={useBlock()}
        downloadBlock={useDownloadBlock()}
        cancel={{ run: () => setAsking("cancel"), busy: cancel.isPending || cancel.isSuccess }}
        download={{ run: fetchFile, busy: download.isPending, error: download.error }}
        onTest={() => setAsking("test")}
        onRestore={() => setAsking("restore")}
      />
      <Confirm
        opened={asking === "cancel"}
        onClose={close}
        title={t("runPage.cancelTitle")}
        consequences={[t("runPage.cancelDrops"), t("runPage.cancelNext")]}
        verb={t("runPage.cancel")}
        busy={cancel.isPending}
        error={cancel.error}
        onConfirm={() => cancel.mutate(run.id, { onSuccess: close })}
      />
      {asking === "restore" && <RestoreDialog run={run} encryption={profile?.encryption.mode} onClose={close} />}
      {asking === "test" && <TestDialog run={run} encryption={profile?.encryption.mode} onClose={close} />}
    </>
  );
}
