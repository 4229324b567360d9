import { IconKey } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { components } from "@/api/schema.gen";
import { Action } from "@/components/action/action";
import { Row, Rows } from "@/components/layout/card";
import { Status, Tag } from "@/components/status/status";
import { RelativeTime } from "@/components/text/relative-time";
import { useNow } from "@/components/text/use-now";
import classes from "./session-rows.module.css";

export type ApiToken = components["schemas"]["AccountsApiToken"];

const soon = 7 * 24 * 3_600_000;

/** API tokens, each with what it opens, how long it lives, when it was used, and the act that ends it. */
export function TokenRows({
  tokens,
  label,
  reason,
  onRevoke,
}: {
  tokens: ApiToken[];
  label: string;
  reason?: string;
  onRevoke: (token: ApiToken) => void;
}) {
  const { t } = useTranslation("app");
  return (
    <Rows label={label}>
      {tokens.map((token) => (
        <Row key={token.id} className={classes.token}>
          <IconKey size={18} stroke={1.5} className={classes.shape} aria-hidden />
          <div className={classes.device}>
            <span className={classes.beside}>
              <span className="strong">{token.name}</span>
              <Life token={token} />
            </span>
            <span className={classes.tags}>
              {token.permissions.length === 0 && <span className="dim">{t("apiTokens.nothing")}</span>}
              {token.permissions.map((key) => (
                <Tag key={key}>
                  <span className="mono">{key === "*" ? t("apiTokens.everything") : key}</span>
                </Tag>
              ))}
            </span>
            <span className="dim">
              {t("apiTokens.created")} <RelativeTime at={token.created_at} /> ·{" "}
              {token.last_used_at ? (
                <>
                  {t("apiTokens.used")} <RelativeTime at={token.last_used_at} />
                </>
              ) : (
                t("apiTokens.unused")
              )}
            </span>
          </div>
          <Action
            kind="danger"
            size="bar"
            reason={reason}
            onClick={() => onRevoke(token)}
            aria-label={t("apiTokens.revokeOf", { name: token.name })}
          >
            {t("apiTokens.revoke")}
          </Action>
        </Row>
      ))}
    </Rows>
  );
}

/** A token that ends within a week is worth a look; one that has ended opens nothing. */
function Life({ token }: { token: ApiToken }) {
  const { t } = useTranslation("app");
  const now = useNow();
  if (token.expired)
    return (
      <Status kind="down">
        {t("apiTokens.expired")} <RelativeTime at={token.expires_at} />
      </Status>
    );
  const words = (
    <>
      {t("apiTokens.expires")} <RelativeTime at={token.expires_at} />
    </>
  );
  if (Date.parse(token.expires_at) - now < soon) return <Status kind="degraded">{words}</Status>;
  return <span className="dim">{words}</span>;
}
