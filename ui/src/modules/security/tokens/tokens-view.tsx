import { IconKey, IconPlus } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { Card } from "@/components/layout/card";
import { ProblemView } from "@/components/state/problem-view";
import { Skeleton, type ViewState } from "@/components/state/states";
import { CodeBlock } from "@/components/text/code-block";
import { TokenRows } from "@/components/session/token-rows";
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
    <div className={classes.stack}>
      <Card title={t("tokens.tab")} aside={tokens.length} right={create} flush>
        <TokenRows tokens={tokens} label={t("tokens.tab")} onRevoke={onRevoke} />
      </Card>
      <Card title={t("tokens.how")}>
        <p className={`soft ${classes.how}`}>{t("tokens.howText")}</p>
        <CodeBlock
          value={`curl -H "Authorization: Bearer $TOKEN" ${window.location.origin}/api/v1/nodes`}
          what={t("tokens.how")}
        />
      </Card>
    </div>
  );
}
