import { IconDeviceDesktop, IconTerminal2 } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { components } from "@/api/schema.gen";
import { deviceName } from "@/text/device-name";
import { Action } from "@/components/action/action";
import { Row, Rows } from "@/components/layout/card";
import { RelativeTime } from "@/components/text/relative-time";
import classes from "./session-rows.module.css";
import { EmptyState } from "@/components/state/states";
import { Tag } from "@/components/status/status";

export type Session = components["schemas"]["AccountsSession"];

/** Where an account is signed in, each session with the act that ends it. */
export function SessionRows({
  sessions,
  ending,
  onEnd,
  reason,
  label,
}: {
  sessions: Session[];
  ending: string | undefined;
  onEnd: (id: string) => void;
  reason?: string;
  label: string;
}) {
  const { t } = useTranslation("app");
  if (sessions.length === 0) return <EmptyState icon={IconDeviceDesktop} title={t("sessions.none")} />;
  return (
    <Rows label={label}>
      {sessions.map((item) => (
        <Row key={item.id}>
          <Device agent={item.user_agent} />
          <div className={classes.device}>
            <span className="strong">{deviceName(item.user_agent) ?? t("sessions.unknown")}</span>
            <span className="dim">
              {item.ip} · {t("sessions.since")} <RelativeTime at={item.created_at} /> · {t("sessions.seen")}{" "}
              <RelativeTime at={item.last_seen_at} />
            </span>
          </div>
          {item.current ? (
            <Tag>{t("sessions.current")}</Tag>
          ) : (
            <Action
              size="bar"
              kind="danger"
              busy={ending === item.id}
              reason={reason}
              onClick={() => onEnd(item.id)}
              aria-label={t("sessions.endOf", { name: deviceName(item.user_agent) ?? item.ip })}
            >
              {t("sessions.end")}
            </Action>
          )}
        </Row>
      ))}
    </Rows>
  );
}

function Device({ agent }: { agent: string }) {
  const Shape = /^(panelctl|curl)/.test(agent) ? IconTerminal2 : IconDeviceDesktop;
  return <Shape size={18} stroke={1.5} className={classes.shape} aria-hidden />;
}
