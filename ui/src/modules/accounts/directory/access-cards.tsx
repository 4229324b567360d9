import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useAccess } from "@/api/access";
import { Action } from "@/components/action/action";
import { Confirm } from "@/components/dialog/confirm";
import { Card } from "@/components/layout/card";
import { SessionRows } from "@/components/session/session-rows";
import { TokenRows, type ApiToken } from "@/components/session/token-rows";
import { ProblemView } from "@/components/state/problem-view";
import { EmptyState, Skeleton } from "@/components/state/states";
import { toastDone, toastProblem } from "@/components/state/toast";
import {
  accountSessionsQuery,
  accountTokensQuery,
  useEndSessionOf,
  useEndSessionsOf,
  useRevokeTokenOf,
  type Account,
} from "./api";

interface CardProps {
  account: Account;
  /** Why nothing of this account can be changed. */
  reason: string | undefined;
}

/** Where the account is signed in, and the end of one or of all of it. */
export function SessionsCard({ account, reason }: CardProps) {
  const { t } = useTranslation(["accounts", "app"]);
  const sessions = useQuery(accountSessionsQuery(account.id));
  const end = useEndSessionOf(account.id);
  const endAll = useEndSessionsOf(account.id);
  const [asked, setAsked] = useState(false);
  const others = (sessions.data ?? []).filter((session) => !session.current).map(({ id }) => id);
  const close = () => {
    setAsked(false);
    endAll.reset();
  };
  return (
    <Card
      title={t("sessions.of")}
      aside={sessions.data?.length}
      flush
      right={
        others.length > 1 && (
          <Action kind="danger" size="bar" reason={reason} onClick={() => setAsked(true)}>
            {t("sessions.endAll")}
          </Action>
        )
      }
    >
      {sessions.data ? (
        <SessionRows
          sessions={sessions.data}
          label={t("sessions.of")}
          reason={reason}
          ending={end.isPending ? end.variables : undefined}
          onEnd={(id) => end.mutate(id, { onError: (error) => toastProblem(t("app:sessions.failed"), error) })}
        />
      ) : sessions.error ? (
        <ProblemView error={sessions.error} onRetry={() => void sessions.refetch()} />
      ) : (
        <Skeleton height={60} />
      )}
      <Confirm
        opened={asked}
        onClose={close}
        title={t("sessions.endAllTitle", { name: account.username })}
        verb={t("sessions.endAllVerb")}
        busy={endAll.isPending}
        error={endAll.error}
        onConfirm={() => endAll.mutate(others, { onSuccess: close })}
      >
        {t("sessions.endAllText", { count: others.length })}
      </Confirm>
    </Card>
  );
}

/** The API tokens that the account made. Only who manages accounts may see those of others. */
export function TokensCard({ account, reason }: CardProps) {
  const { t } = useTranslation("accounts");
  const may = useAccess().can("accounts.manage");
  const tokens = useQuery({ ...accountTokensQuery(account.id), enabled: may });
  const revoke = useRevokeTokenOf(account.id);
  const [leaving, setLeaving] = useState<ApiToken>();
  const close = () => {
    setLeaving(undefined);
    revoke.reset();
  };
  if (!may) return null;
  return (
    <Card title={t("tokens.title")} aside={tokens.data?.length || undefined} flush>
      {tokens.data?.length === 0 && <EmptyState title={t("tokens.none")} />}
      {tokens.data && tokens.data.length > 0 && (
        <TokenRows tokens={tokens.data} label={t("tokens.title")} reason={reason} onRevoke={setLeaving} />
      )}
      {!tokens.data && tokens.error && <ProblemView error={tokens.error} onRetry={() => void tokens.refetch()} />}
      {tokens.isPending && <Skeleton height={60} />}
      <Confirm
        opened={leaving !== undefined}
        onClose={close}
        title={t("tokens.revokeTitle", { token: leaving?.name ?? "", name: account.username })}
        verb={t("app:apiTokens.revoke")}
        busy={revoke.isPending}
        error={revoke.error}
        onConfirm={() =>
          revoke.mutate(leaving!.id, {
            onSuccess: () => {
              toastDone(t("tokens.revoked", { name: leaving!.name }));
              close();
            },
          })
        }
      />
    </Card>
  );
}
