import { IconFingerprint, IconPlus } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { Card, Row, Rows } from "@/components/layout/card";
import { passkeysWork } from "@/components/session/passkeys";
import { RelativeTime } from "@/components/text/relative-time";
import type { Passkey } from "./api";
import classes from "./security.module.css";

export function PasskeysCard({
  passkeys,
  onAdd,
  onRename,
  onRemove,
}: {
  passkeys: Passkey[];
  onAdd: () => void;
  onRename: (passkey: Passkey) => void;
  onRemove: (passkey: Passkey) => void;
}) {
  const { t } = useTranslation("security");
  const reason = passkeysWork() ? undefined : t("passkeys.unsupported");
  const add = (
    <Action size={passkeys.length > 0 ? "bar" : "page"} icon={IconPlus} onClick={onAdd} reason={reason}>
      {t("passkeys.add")}
    </Action>
  );
  if (passkeys.length === 0) {
    return (
      <Card title={t("passkeys.title")}>
        <div className={classes.offer}>
          <IconFingerprint size={20} stroke={1.5} aria-hidden />
          <div>
            <p className="soft">{t("passkeys.text")}</p>
            {reason && <p className={classes.reason}>{reason}</p>}
          </div>
          {add}
        </div>
      </Card>
    );
  }
  return (
    <Card title={t("passkeys.title")} aside={passkeys.length} right={add} flush>
      <Rows label={t("passkeys.title")}>
        {passkeys.map((passkey) => (
          <Row key={passkey.id} className={classes.line}>
            <IconFingerprint size={18} stroke={1.5} className={classes.shape} aria-hidden />
            <div className={classes.words}>
              <span className="strong">{passkey.name}</span>
              <span className="dim">
                {t("passkeys.added")} <RelativeTime at={passkey.created_at} /> ·{" "}
                {passkey.last_used_at ? (
                  <>
                    {t("passkeys.used")} <RelativeTime at={passkey.last_used_at} />
                  </>
                ) : (
                  t("passkeys.unused")
                )}
              </span>
            </div>
            <div className={classes.acts}>
              <Action
                size="bar"
                onClick={() => onRename(passkey)}
                aria-label={t("passkeys.renameOf", { name: passkey.name })}
              >
                {t("passkeys.rename")}
              </Action>
              <Action
                kind="danger"
                size="bar"
                onClick={() => onRemove(passkey)}
                aria-label={t("passkeys.removeOf", { name: passkey.name })}
              >
                {t("passkeys.remove")}
              </Action>
            </div>
          </Row>
        ))}
      </Rows>
    </Card>
  );
}
