import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { Confirm } from "@/components/dialog/confirm";
import { Card } from "@/components/layout/card";
import { ProblemNote } from "@/components/state/problem-view";
import { Status } from "@/components/status/status";
import { CodeBlock } from "@/components/text/code-block";
import { RelativeTime } from "@/components/text/relative-time";
import { useFormat } from "@/text/use-format";
import type { Connection } from "../api";
import classes from "../proxypanel.module.css";
import { useWebhookSecret } from "./api";
import { useBlock } from "./panel-page";

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const secretLength = 64;

/** A secret of letters and digits, as long as the proxy panel recommends. */
export function makeSecret(): string {
  const fair = Math.floor(256 / letters.length) * letters.length;
  let secret = "";
  while (secret.length < secretLength) {
    for (const byte of crypto.getRandomValues(new Uint8Array(secretLength)))
      if (byte < fair && secret.length < secretLength) secret += letters[byte % letters.length];
  }
  return secret;
}

/** How news from the proxy panel arrives at once: its webhooks, and the lines that switch them on there. */
export function WebhookCard({ connection }: { connection: Connection }) {
  const { t } = useTranslation("proxypanel");
  const block = useBlock();
  const set = useWebhookSecret(connection.id);
  const [secret, setSecret] = useState<string>();
  const [removing, setRemoving] = useState(false);
  const { has_secret: has, path, last_event_at: last, skew_seconds: skew } = connection.webhook;
  const format = useFormat();
  const renew = () => {
    const made = makeSecret();
    set.mutate(made, { onSuccess: () => setSecret(made) });
  };
  return (
    <Card title={t("webhook.title")} label={t("webhook.title")}>
      <div className={classes.fields}>
        <p className="soft">{t("webhook.text")}</p>
        <Status kind={!has ? "never" : last === null ? "waiting" : "healthy"}>
          {!has ? t("webhook.off") : last === null ? t("webhook.waits") : t("webhook.works")}
        </Status>
        {last !== null && (
          <p className="soft">
            {t("webhook.last")} <RelativeTime at={last} />
          </p>
        )}
        {skew !== null && (
          <p className="soft">
            {t(skew > 0 ? "webhook.ahead" : "webhook.behind", { span: format.span(Math.abs(skew)) })}
          </p>
        )}
        {connection.panel?.webhooks === false && <p className="soft">{t("webhook.offThere")}</p>}
        {set.error !== null && <ProblemNote error={set.error} />}
        {secret !== undefined && (
          <>
            <p className="soft">{t("webhook.lines")}</p>
            <CodeBlock what={t("webhook.linesName")} value={linesOf(path, secret)} />
            <p className="dim">{t("webhook.once")}</p>
          </>
        )}
        <div className={classes.headActs} data-start>
          <Action size="bar" busy={set.isPending} reason={block} onClick={renew}>
            {t(has ? "webhook.renew" : "webhook.make")}
          </Action>
          {has && (
            <Action size="bar" reason={block} onClick={() => setRemoving(true)}>
              {t("webhook.remove")}
            </Action>
          )}
        </div>
      </div>
      <Confirm
        opened={removing}
        danger={false}
        onClose={() => setRemoving(false)}
        onConfirm={() => set.mutate("", { onSuccess: () => setRemoving(false) })}
        title={t("webhook.removeTitle")}
        verb={t("webhook.remove")}
        busy={set.isPending}
        error={set.error}
      >
        {t("webhook.removeText")}
      </Confirm>
    </Card>
  );
}

function linesOf(path: string, secret: string): string {
  return [
    "WEBHOOK_ENABLED=true",
    `WEBHOOK_URL=${window.location.origin}${path}`,
    `WEBHOOK_SECRET_HEADER=${secret}`,
  ].join("\n");
}
