import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useAccess } from "@/api/access";
import { Action } from "@/components/action/action";
import { Card, Facts } from "@/components/layout/card";
import { PageHeader } from "@/components/layout/page-header";
import { usePageTitle } from "@/components/layout/page-title";
import { ProblemNote, ProblemView } from "@/components/state/problem-view";
import { RelativeTime } from "@/components/text/relative-time";
import { SaveBar } from "@/components/form/save-bar";
import { Skeleton } from "@/components/state/states";
import { Status, Tag } from "@/components/status/status";
import classes from "./accounts.module.css";
import type { Permission } from "../permissions/areas";
import { DeleteAccountDialog } from "./delete-account-dialog";
import { SessionsCard, TokensCard } from "./access-cards";
import { accountQuery, accountsQuery, catalogueQuery, type Account } from "./api";
import { AccessWords, AccountState, LastSignIn } from "./people";
import { PermissionList } from "../permissions/permission-list";
import { isLastFull } from "../permissions/permissions";
import { RenameDialog } from "./rename-dialog";
import { ResetPasswordDialog } from "./reset-password-dialog";
import { SecondFactors } from "./second-factors";
import { StateDialog } from "./state-dialog";
import { usePermissionDraft } from "../permissions/use-permission-draft";
import { useAccountBlock } from "../permissions/use-rules";

export default function AccountPage() {
  const { t } = useTranslation("accounts");
  const { id } = useParams({ strict: false }) as { id: string };
  const account = useQuery(accountQuery(id));
  const catalogue = useQuery(catalogueQuery);
  usePageTitle(account.data?.username);
  const error = account.error ?? catalogue.error;
  if (account.data && catalogue.data) return <AccountView key={id} account={account.data} catalogue={catalogue.data} />;
  if (error)
    return (
      <ProblemView
        error={error}
        tried={t("loadFailed")}
        onRetry={() => void Promise.all([account.refetch(), catalogue.refetch()])}
      />
    );
  return <Skeleton rows={10} />;
}

type Act = "reset" | "state" | "delete" | "rename";

function AccountView({ account, catalogue }: { account: Account; catalogue: Permission[] }) {
  const { t } = useTranslation("accounts");
  const navigate = useNavigate();
  const own = useAccess().account?.id === account.id;
  const block = useAccountBlock()(account);
  const closed = block ?? (own ? t("block.own") : undefined);
  const draft = usePermissionDraft(account, catalogue);
  const others = useInfiniteQuery(accountsQuery({}));
  const lastFull = isLastFull(
    account,
    others.data?.pages.flatMap((page) => page.items) ?? [],
    others.data !== undefined && !others.hasNextPage,
  );
  const [act, setAct] = useState<Act>();
  const of = (kind: Act) => (act === kind ? account : undefined);
  const close = () => setAct(undefined);
  return (
    <>
      <PageHeader
        title={account.username}
        beside={
          <>
            <AccountState account={account} />
            {own && <Tag>{t("you")}</Tag>}
          </>
        }
        meta={<AccessWords account={account} catalogue={catalogue} />}
        closed={block}
        actions={
          <>
            <Action onClick={() => setAct("rename")} reason={block}>
              {t("acts.rename")}
            </Action>
            <Action onClick={() => setAct("reset")} reason={closed}>
              {t("acts.reset")}
            </Action>
            <Action onClick={() => setAct("state")} reason={closed ?? (lastFull ? t("block.lastFull") : undefined)}>
              {account.state === "active" ? t("acts.disable") : t("acts.enable")}
            </Action>
          </>
        }
      />
      <div className={classes.columns}>
        <div className={classes.stack}>
          <PermissionList
            catalogue={catalogue}
            held={draft.held}
            before={account.permissions}
            onChange={draft.set}
            reason={block}
            lastFull={lastFull}
            of={account.id}
          />
          {draft.error !== null && <ProblemNote error={draft.error} />}
        </div>
        <div className={classes.stack}>
          <FactsCard account={account} />
          <SessionsCard account={account} reason={block} />
          <TokensCard account={account} reason={block} />
          <Card title={t("delete.card")}>
            <p className={`soft ${classes.danger}`}>{t("delete.forever")}</p>
            <Action
              kind="danger"
              onClick={() => setAct("delete")}
              reason={closed ?? (lastFull ? t("block.lastFull") : undefined)}
            >
              {t("acts.delete")}
            </Action>
          </Card>
        </div>
      </div>
      <SaveBar changes={draft.changes} onSave={draft.save} onDiscard={draft.discard} busy={draft.busy} reason={block}>
        {draft.summary}
      </SaveBar>
      <RenameDialog account={of("rename")} onClose={close} />
      <ResetPasswordDialog account={of("reset")} onClose={close} />
      <StateDialog account={of("state")} onClose={close} />
      <DeleteAccountDialog
        account={of("delete")}
        onClose={close}
        onDeleted={() => void navigate({ to: "/accounts" })}
      />
    </>
  );
}

function FactsCard({ account }: { account: Account }) {
  const { t } = useTranslation("accounts");
  return (
    <Card title={t("facts.title")}>
      <Facts
        nameWidth={132}
        items={[
          { name: t("columns.login"), value: <LastSignIn account={account} /> },
          { name: t("columns.factor"), value: <SecondFactors account={account} /> },
          {
            name: t("facts.password"),
            value: account.must_change_password ? (
              <Status kind="degraded">{t("facts.mustChange")}</Status>
            ) : (
              t("facts.passwordOwn")
            ),
          },
          { name: t("facts.created"), value: <RelativeTime at={account.created_at} /> },
        ]}
      />
    </Card>
  );
}
