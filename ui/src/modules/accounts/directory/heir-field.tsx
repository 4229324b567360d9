import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { accountsQuery, type Account } from "./api";
import type { Owned } from "./owned";
import classes from "./accounts.module.css";

const named = 5;

interface HeirFieldProps {
  account: Account;
  owned: Owned;
  value: string | undefined;
  onChange: (id: string | undefined) => void;
}

/** Says what the account owns and asks who gets it. */
export function HeirField({ account, owned, value, onChange }: HeirFieldProps) {
  const { t } = useTranslation("accounts");
  const [search, setSearch] = useState("");
  const [q] = useDebouncedValue(search.trim(), 200);
  const found = useInfiniteQuery(accountsQuery(q ? { q } : {})).data?.pages.flatMap((page) => page.items) ?? [];
  const [chosen, setChosen] = useState<Account>();
  const heirs = distinct(chosen ? [chosen, ...found] : found).filter((heir) => heir.id !== account.id);
  const choose = (id: string | null) => {
    setChosen(heirs.find((heir) => heir.id === id));
    onChange(id ?? undefined);
  };
  const rest = owned.total - Math.min(owned.names.length, named);
  return (
    <div className={classes.heir}>
      <p>
        {t("delete.owns", { name: account.username, count: owned.total })}{" "}
        <span className="strong">{owned.names.slice(0, named).join(", ")}</span>
        {owned.names.length > 0 && rest > 0 && ` ${t("delete.ownsMore", { count: rest })}`}
      </p>
      <Select
        size="md"
        label={t("delete.heir")}
        description={t("delete.heirHelp")}
        placeholder={t("delete.heirChoose")}
        searchable
        nothingFoundMessage={t("delete.heirNone")}
        data={heirs.map((heir) => ({ value: heir.id, label: heir.username }))}
        value={value ?? null}
        onChange={choose}
        searchValue={search}
        onSearchChange={setSearch}
      />
    </div>
  );
}

function distinct(accounts: Account[]): Account[] {
  return [...new Map(accounts.map((account) => [account.id, account])).values()];
}
