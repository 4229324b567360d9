import { useTranslation } from "react-i18next";
import type { SystemStatus } from "@/api/system";
import { Card, Facts } from "@/components/layout/card";
import { Columns, Stack } from "@/components/layout/columns";
import { PageHeader } from "@/components/layout/page-header";
import { ProblemView } from "@/components/state/problem-view";
import { Skeleton, type ViewState } from "@/components/state/states";
import { Status } from "@/components/status/status";
import { useFormat } from "@/text/use-format";
import type { Diagnostics } from "./api";
import { BundleCard, type Bundle } from "./bundle-card";
import { DoctorCard } from "./doctor-card";
import { LogCard, type LogControl } from "./log-card";

interface DiagnosticsViewProps {
  status: ViewState<SystemStatus>;
  state: ViewState<Diagnostics>;
  log: LogControl;
  bundle: Bundle;
}

/** The diagnosis, beside it the status and what can be handed to support, below them the end of the log. */
export function DiagnosticsView({ status, state, log, bundle }: DiagnosticsViewProps) {
  const { t } = useTranslation("diagnostics");
  return (
    <>
      <PageHeader title={t("title")} meta={t("lead")} />
      <Stack>
        <Columns
          side={
            <>
              <StateCard status={status} />
              <BundleCard bundle={bundle} upload={state.kind === "ready" && state.data.upload} />
            </>
          }
        >
          {state.kind === "loading" && <Skeleton height={260} />}
          {state.kind === "error" && <ProblemView error={state.error} onRetry={state.retry} />}
          {state.kind === "ready" && (
            <DoctorCard document={state.data.doctor ?? undefined} command={state.data.command} />
          )}
        </Columns>
        {state.kind === "ready" && <LogCard log={state.data.log} control={log} />}
      </Stack>
    </>
  );
}

function StateCard({ status }: { status: ViewState<SystemStatus> }) {
  const { t } = useTranslation("diagnostics");
  const format = useFormat();
  if (status.kind === "loading") return <Skeleton height={140} />;
  if (status.kind === "error") return <ProblemView error={status.error} onRetry={status.retry} />;
  const { data } = status;
  return (
    <Card title={t("state.title")}>
      <Facts
        items={[
          {
            name: t("state.status"),
            value: (
              <Status kind={data.status === "running" ? "healthy" : "degraded"}>{t(`status.${data.status}`)}</Status>
            ),
          },
          {
            name: t("state.database"),
            value: (
              <Status kind={data.database === "connected" ? "healthy" : "failed"}>
                {t(`database.${data.database}`)}
              </Status>
            ),
          },
          { name: t("state.version"), value: data.version, mono: true },
          { name: t("state.uptime"), value: format.uptime(data.uptime_seconds) },
          { name: t("state.metrics"), value: <span className="soft">{t("state.metricsHint")}</span> },
        ]}
      />
    </Card>
  );
}
