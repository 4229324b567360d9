import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useAccess } from "@/api/access";
import { accountsQuery } from "../directory/api";
import type { Permission } from "./areas";
import { grantable, roleKeys, roles } from "./starts";

interface StartFromProps {
  catalogue: readonly Permission[];
  /** The account that is being changed is no example for itself. */
  except?: string;
  onChange: (held: string[]) => void;
}

/** Takes the permissions of a role or of another account over; single ones are then switched below. */
export function StartFrom({ catalogue, except, onChange }: StartFromProps) {
  const { t } = useTranslation("accounts");
  const { permissions: mine } = useAccess();
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState<string | null>(null);
  const [left, setLeft] = useState(0);
  const [q] = useDebouncedValue(text.trim(), 200);
  const labels = roles.map((role) => t(`start.role.${role}`));
  const others = useInfiniteQuery(accountsQuery(q && !labels.includes(q) ? { q } : {}));
  const accounts = (others.data?.pages.flatMap((page) => page.items) ?? []).filter(({ id }) => id !== except);
  const choose = (value: string | null) => {
    setChosen(value);
    if (value === null) return setLeft(0);
    const keys = catalogue.map(({ key }) => key);
    const role = roles.find((one) => one === value);
    const wanted = role ? roleKeys(role, keys) : (accounts.find(({ id }) => id === value)?.permissions ?? []);
    const given = grantable(wanted, mine, keys);
    setLeft(given.left);
    onChange(given.held);
  };
  return (
    <Select
      label={t("start.label")}
      placeholder={t("start.placeholder")}
      description={left > 0 ? t("start.left", { count: left }) : t("start.help")}
      searchable
      clearable
      value={chosen}
      searchValue={text}
      onSearchChange={setText}
      onChange={choose}
      nothingFoundMessage={t("start.nothing")}
      data={[
        { group: t("start.roles"), items: roles.map((role, index) => ({ value: role, label: labels[index]! })) },
        {
          group: t("start.accounts"),
          items: accounts.map(({ id, username }) => ({ value: id, label: username })),
        },
      ]}
    />
  );
}
