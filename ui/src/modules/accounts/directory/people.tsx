import { Menu, TextInput } from "@mantine/core";
import { IconDownload, IconSearch } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useEffect, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { useAccess } from "@/api/access";
import { Action } from "@/components/action/action";
import { Avatar } from "@/components/text/avatar";
import { DataTable, type Column } from "@/components/table/data-table";
import { RelativeTime } from "@/components/text/relative-time";
import { RowMenu } from "@/components/action/row-menu";
import { EmptyState } from "@/components/state/states";
import { toastProblem } from "@/components/state/toast";
import { Status, Tag } from "@/components/status/status";
import type { Permission } from "../permissions/areas";
import classes from "./accounts.module.css";
import { saveAccountsCsv } from "./accounts-csv";
import type { Account } from "./api";
import { countOpened, isFull } from "../permissions/permissions";
import { SecondFactors } from "./second-factors";
import { useAccountBlock } from "../permissions/use-rules";

export interface PeopleActs {
  reset: (account: Account) => void;
  state: (account: Account) => void;
  remove: (account: Account) => void;
}

interface PeopleProps {
  accounts: Account[];
  /** Adds an account, where somebody may. */
  onAdd: (() => void) | undefined;
  total: number;
  catalogue: Permission[];
  q: string | undefined;
  onQ: (q: string | undefined) => void;
  acts: PeopleActs;
  more: { load: () => void; busy: boolean } | undefined;
}

export function People({ accounts, onAdd, total, catalogue, q, onQ, acts, more }: PeopleProps) {
  const { t } = useTranslation("accounts");
  const columns = useColumns(catalogue);
  const [saving, setSaving] = useState(false);
  const save = () => {
    setSaving(true);
    saveAccountsCsv(q)
      .catch((error: unknown) => toastProblem(t("csvFailed"), error))
      .finally(() => setSaving(false));
  };
  return (
    <>
      <div className={classes.filters}>
        <Find q={q} onQ={onQ} />
        {total > 0 && (
          <Action kind="ghost" icon={IconDownload} busy={saving} onClick={save}>
            CSV
          </Action>
        )}
      </div>
      <DataTable
        label={t("title")}
        rows={accounts}
        total={total}
        columns={columns}
        rowId={(account) => account.id}
        rowName={(account) => account.username}
        menu={(account) => <AccountMenu account={account} acts={acts} />}
        phone={(account) => <PhoneAccount account={account} catalogue={catalogue} />}
        onMore={more?.load}
        loadingMore={more?.busy}
        onCreate={onAdd}
        empty={
          <EmptyState
            title={t("nothing", { text: q ?? "" })}
            act={<Action onClick={() => onQ(undefined)}>{t("clear")}</Action>}
          />
        }
      />
    </>
  );
}

function Find({ q, onQ }: Pick<PeopleProps, "q" | "onQ">) {
  const { t } = useTranslation("accounts");
  const [text, setText] = useState(q ?? "");
  useEffect(() => setText(q ?? ""), [q]);
  useEffect(() => {
    if (text === (q ?? "")) return;
    const timer = setTimeout(() => onQ(text || undefined), 250);
    return () => clearTimeout(timer);
  }, [text, q, onQ]);
  return (
    <TextInput
      className={classes.find}
      data-search
      aria-label={t("find")}
      placeholder={t("find")}
      leftSection={<IconSearch size={16} stroke={1.6} aria-hidden />}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
    />
  );
}

function useColumns(catalogue: Permission[]): Column<Account>[] {
  const { t } = useTranslation("accounts");
  return useMemo(
    () => [
      { key: "name", head: t("columns.name"), cell: (account) => <Name account={account} /> },
      {
        key: "access",
        head: t("columns.access"),
        cell: (account) => <AccessWords account={account} catalogue={catalogue} />,
      },
      { key: "state", head: t("columns.state"), cell: (account) => <AccountState account={account} inTable /> },
      { key: "factor", head: t("columns.factor"), cell: (account) => <SecondFactors account={account} /> },
      { key: "login", head: t("columns.login"), cell: (account) => <LastSignIn account={account} /> },
    ],
    [t, catalogue],
  );
}

function Name({ account }: { account: Account }) {
  const { t } = useTranslation("accounts");
  const { account: me } = useAccess();
  return (
    <span className={classes.name}>
      <Avatar name={account.username} />
      <Link to="/accounts/$id" params={{ id: account.id }} className="strong">
        {account.username}
      </Link>
      {account.id === me?.id && <Tag>{t("you")}</Tag>}
    </span>
  );
}

export function AccountState({ account, inTable }: { account: Account; inTable?: boolean }) {
  const { t } = useTranslation("accounts");
  if (account.state === "disabled")
    return (
      <Status kind="maintenance" tone="unk" inTable={inTable}>
        {t("state.disabled")}
      </Status>
    );
  return (
    <Status kind="healthy" inTable={inTable}>
      {t("state.active")}
    </Status>
  );
}

export function AccessWords({ account, catalogue }: { account: Account; catalogue: readonly Permission[] }) {
  const { t } = useTranslation("accounts");
  if (isFull(account.permissions)) return <>{t("permissions.fullShort")}</>;
  const count = countOpened(
    account.permissions,
    catalogue.map(({ key }) => key),
  );
  if (count === 0) return <span className="dim">{t("permissions.none")}</span>;
  return (
    <span className="num">
      {t("permissions.count", { count })}{" "}
      <span className="dim">{t("permissions.of", { total: catalogue.length })}</span>
    </span>
  );
}

export function LastSignIn({ account }: { account: Account }) {
  const { t } = useTranslation("accounts");
  if (!account.last_login_at) return <span className="dim">{t("never")}</span>;
  return (
    <span>
      <RelativeTime at={account.last_login_at} /> <span className="mono dim">{account.last_login_ip}</span>
    </span>
  );
}

function AccountMenu({ account, acts }: { account: Account; acts: PeopleActs }) {
  const { t } = useTranslation("accounts");
  const { account: me } = useAccess();
  const own = account.id === me?.id;
  const block = useAccountBlock()(account);
  return (
    <RowMenu name={account.username}>
      {(block ?? (own ? t("block.own") : undefined)) && (
        <Menu.Label className={classes.why}>{block ?? t("block.own")}</Menu.Label>
      )}
      <Menu.Item component={Link} to={`/accounts/${account.id}`}>
        {t("acts.open")}
      </Menu.Item>
      <Menu.Item disabled={block !== undefined || own} onClick={() => acts.reset(account)}>
        {t("acts.reset")}
      </Menu.Item>
      <Menu.Item disabled={block !== undefined || own} onClick={() => acts.state(account)}>
        {account.state === "active" ? t("acts.disable") : t("acts.enable")}
      </Menu.Item>
      <Menu.Divider />
      <Menu.Item data-danger disabled={block !== undefined || own} onClick={() => acts.remove(account)}>
        {t("acts.delete")}
      </Menu.Item>
    </RowMenu>
  );
}

function PhoneAccount({ account, catalogue }: { account: Account; catalogue: Permission[] }) {
  return (
    <>
      <div className={classes.phoneLine}>
        <Name account={account} />
        <AccountState account={account} />
      </div>
      <div className={classes.phoneLine}>
        <AccessWords account={account} catalogue={catalogue} />
        <LastSignIn account={account} />
      </div>
    </>
  );
}
