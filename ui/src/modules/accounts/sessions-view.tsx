import { IconDeviceDesktop } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action";
import { Card, Row, Rows } from "@/components/card";
import { PageHeader } from "@/components/page-header";
import { ProblemView } from "@/components/problem-view";
import { RelativeTime } from "@/components/relative-time";
import { EmptyState, Skeleton, type ViewState } from "@/components/states";
import { Tag } from "@/components/status";
import type { Session } from "./api";
import { deviceName } from "./device-name";
import classes from "./account.module.css";

export function SessionsView({ state, ending, onEnd }: { state: ViewState<Session[]>; ending: string | undefined; onEnd: (id: string) => void }) {
  const { t } = useTranslation("accounts");
  return (
    <>
      <PageHeader title={t("sessions.title")} meta={t("sessions.lead")} />
      {state.kind === "loading" && <Skeleton rows={4} />}
      {state.kind === "error" && <ProblemView error={state.error} onRetry={state.retry} />}
      {state.kind === "ready" && (
        <Card flush className={classes.wide}>
          {state.data.length === 0 ? (
            <EmptyState title={t("sessions.none")} />
          ) : (
            <Rows label={t("sessions.title")}>
              {state.data.map((item) => (
                <Row key={item.id}>
                  <IconDeviceDesktop size={18} stroke={1.5} aria-hidden />
                  <div className={classes.device}>
                    <span className="strong">{deviceName(item.user_agent) ?? t("sessions.unknown")}</span>
                    <span className="dim">
                      {item.ip} · {t("sessions.since")} <RelativeTime at={item.created_at} /> · {t("sessions.seen")} <RelativeTime at={item.last_seen_at} />
                    </span>
                  </div>
                  {item.current ? (
                    <Tag>{t("sessions.current")}</Tag>
                  ) : (
                    <Action size="bar" kind="danger" busy={ending === item.id} onClick={() => onEnd(item.id)} aria-label={t("sessions.endOf", { name: deviceName(item.user_agent) ?? item.ip })}>
                      {t("sessions.end")}
                    </Action>
                  )}
                </Row>
              ))}
            </Rows>
          )}
        </Card>
      )}
    </>
  );
}
