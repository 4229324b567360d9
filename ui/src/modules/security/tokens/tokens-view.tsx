import { IconKey, IconPlus } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { Card, Row, Rows } from "@/components/layout/card";
import { ProblemView } from "@/components/state/problem-view";
import { Skeleton, type ViewState } from "@/components/state/states";
import { RelativeTime } from "@/components/text/relative-time";
import type { ApiToken } from "../api";
import { SecurityHeader } from "../security-header";
import classes from "../security.module.css";

interface TokensViewProps {
  state: ViewState<ApiToken[]>;
  onCreate: () => void;
  onRevoke: (token: ApiToken) => void;
}

export function TokensView({ state, onCreate, onRevoke }: TokensViewProps) {
  const { t } = useTranslation("security");
  return (
    <>
      <SecurityHeader current="tokens" lead={t("tokens.lead")} />
      {state.kind === "loading" && <Skeleton rows={4} />}
      {state.kind === "error" && <ProblemView error={state.error} onRetry={state.retry} />}
      {state.kind === "ready" && (
        <div className={classes.wide}>
          <TokensCard tokens={state.data} onCreate={onCreate} onRevoke={onRevoke} />
        </div>
      )}
    </>
  );
}

function TokensCard({ tokens, onCreate, onRevoke }: Omit<TokensViewProps, "state"> & { tokens: ApiToken[] }) {
  const { t } = useTranslation("security");
  const create = (
    <Action size={tokens.length > 0 ? "bar" : "page"} icon={IconPlus} onClick={onCreate}>
      {t("tokens.create")}
    </Action>
  );
  if (tokens.length === 0) {
    return (
      <Card title={t("tokens.tab")}>
        <div className={classes.offer}>
          <IconKey size={20} stroke={1.5} aria-hidden />
          <p className="soft">{t("tokens.text")}</p>
          {create}
        </div>
      </Card>
    );
  }
  return (
    <Card title={t("tokens.tab")} aside={tokens.length} right={create} flush>
      <Rows label={t("tokens.tab")}>
        {tokens.map((token) => (
          <TokenRow key={token.id} token={token} onRevoke={() => onRevoke(token)} />
        ))}
      </Rows>
    </Card>
  );
}

function TokenRow({ token, onRevoke }: { token: ApiToken; onRevoke: () => void }) {
  const { t } = useTranslation("security");
  return (
    <Row className={classes.line}>
      <IconKey size={18} stroke={1.5} className={classes.shape} aria-hidden />
      <div className={classes.words}>
        <span className="strong">{token.name}</span>
        <span className="dim">{token.permissions.join(", ") || t("tokens.nothing")}</span>
        <span className={token.expired ? classes.reason : "dim"}>
          {t(token.expired ? "tokens.expired" : "tokens.expires")} <RelativeTime at={token.expires_at} /> ·{" "}
          {token.last_used_at ? (
            <>
              {t("passkeys.used")} <RelativeTime at={token.last_used_at} />
            </>
          ) : (
            t("passkeys.unused")
          )}
        </span>
      </div>
      <div className={classes.acts}>
        <Action kind="danger" size="bar" onClick={onRevoke} aria-label={t("tokens.revokeOf", { name: token.name })}>
          {t("tokens.revoke")}
        </Action>
      </div>
    </Row>
  );
}
