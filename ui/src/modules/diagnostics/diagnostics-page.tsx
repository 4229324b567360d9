import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useWriteBlock } from "@/api/access";
import { systemStatusQuery } from "@/api/system";
import { Confirm } from "@/components/dialog/confirm";
import { viewState } from "@/components/state/states";
import { toastDone } from "@/components/state/toast";
import { diagnosticsQuery, logsHereQuery, useDownload, usePreview, useSend, type LogChoice, type Period } from "./api";
import { DiagnosticsView } from "./diagnostics-view";

export default function DiagnosticsPage() {
  const { t } = useTranslation("diagnostics");
  const [log, setLog] = useState<LogChoice>({ component: "backend", level: "all", follow: true });
  const [period, setPeriod] = useState<Period>("24h");
  const [asking, setAsking] = useState(false);
  const status = useQuery(systemStatusQuery);
  const shown = useQuery(diagnosticsQuery(log));
  const here = useQuery(logsHereQuery).data ?? ["backend"];
  const preview = usePreview();
  const download = useDownload();
  const send = useSend();
  const block = useWriteBlock({ needs: "settings.manage", whileReadOnly: true });
  const choose = (next: Period) => {
    setPeriod(next);
    preview.reset();
  };
  const close = () => {
    setAsking(false);
    send.reset();
  };
  return (
    <>
      <DiagnosticsView
        status={viewState(status)}
        state={viewState(shown)}
        log={{ ...log, here, choose: (change) => setLog((old) => ({ ...old, ...change })) }}
        bundle={{
          period,
          choose,
          block,
          manifest: preview.data,
          preview: { run: () => preview.mutate(period), busy: preview.isPending },
          download: {
            run: () => download.mutate(period, { onSuccess: () => toastDone(t("bundle.downloaded")) }),
            busy: download.isPending,
          },
          send: { run: () => setAsking(true), busy: send.isPending },
          error: preview.error ?? download.error,
        }}
      />
      <Confirm
        opened={asking}
        onClose={close}
        onConfirm={() =>
          send.mutate(period, {
            onSuccess: () => {
              close();
              toastDone(t("bundle.sent"));
            },
          })
        }
        busy={send.isPending}
        error={send.error}
        danger={false}
        title={t("bundle.confirm")}
        verb={t("bundle.send")}
        consequences={[t("bundle.confirmFile"), t("bundle.text"), t("bundle.confirmJournal")]}
      />
    </>
  );
}
