import { IconDeviceMobile } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { Card, Row, Rows } from "@/components/layout/card";
import { Status } from "@/components/status/status";
import type { Factors } from "./api";
import classes from "./security.module.css";

export type AppAct = "enrol" | "renew" | "remove";

const few = 3;

/** The authenticator app and the recovery codes that come with it. */
export function AppCard({ factors, onAct }: { factors: Factors; onAct: (act: AppAct) => void }) {
  const { t } = useTranslation("security");
  const left = factors.recovery_codes_left;
  if (!factors.totp_enabled) {
    return (
      <Card title={t("app.title")} right={<Status kind="never">{t("app.off")}</Status>}>
        <div className={classes.offer}>
          <IconDeviceMobile size={20} stroke={1.5} aria-hidden />
          <p className="soft">{t("app.text")}</p>
          <Action kind="filled" onClick={() => onAct("enrol")}>
            {t("app.enrol")}
          </Action>
        </div>
      </Card>
    );
  }
  return (
    <Card title={t("app.title")} right={<Status kind="healthy">{t("app.on")}</Status>} flush>
      <Rows>
        <Row className={classes.line}>
          <div className={classes.words}>
            <span className="strong">{t("app.used")}</span>
            <span className="dim">{t("app.usedText")}</span>
          </div>
          <Action kind="danger" size="bar" onClick={() => onAct("remove")}>
            {t("app.remove")}
          </Action>
        </Row>
        <Row className={classes.line}>
          <div className={classes.words}>
            <span className={classes.beside}>
              <span className="strong">{t("codes.title")}</span>
              {left <= few && <Status kind="degraded">{t("codes.few")}</Status>}
            </span>
            <span className="dim num">{t("codes.left", { count: left })}</span>
          </div>
          <Action size="bar" onClick={() => onAct("renew")}>
            {t("codes.renew")}
          </Action>
        </Row>
      </Rows>
    </Card>
  );
}
