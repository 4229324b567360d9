import { QRCodeSVG } from "qrcode.react";
import { useTranslation } from "react-i18next";
import { CopyButton } from "@/components/action/copy-button";
import type { Enrolment } from "./api";
import classes from "./security.module.css";

/** The secret as a picture for the app's camera, and as letters for typing. */
export function SecretCard({ enrolment }: { enrolment: Enrolment }) {
  const { t } = useTranslation("security");
  return (
    <div className={classes.secret}>
      <div className={classes.qr} role="img" aria-label={t("enrol.qr")}>
        <QRCodeSVG value={enrolment.uri} size={152} level="M" marginSize={2} aria-hidden />
      </div>
      <div className={classes.words}>
        <p className="soft">{t("enrol.scan")}</p>
        <p className="dim">{t("enrol.manual")}</p>
        <p className={`mono ${classes.key}`} aria-label={t("enrol.key")}>
          {grouped(enrolment.secret)}
        </p>
        <div>
          <CopyButton
            value={enrolment.secret}
            what={t("enrol.key")}
            iconOnly={false}
            kind="default"
            text={t("enrol.copy")}
          />
        </div>
      </div>
    </div>
  );
}

/** Letters in fours are typed with fewer mistakes. */
export function grouped(secret: string): string {
  return secret.replaceAll(/(.{4})(?=.)/g, "$1 ");
}
