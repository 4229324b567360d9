import { Select, type SelectProps } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { domainQuery, foundDomainsQuery } from "./api";

type DomainSelectProps = Omit<SelectProps, "value" | "onChange" | "data"> & {
  nodeId: string | undefined;
  /** A flow names bindings of its owner alone, whoever draws it. */
  owner: string;
  value: string | null;
  onChange: (value: string | null) => void;
};

/** The button that clears the field, and the arrow beside it. */
const roomForTwo = 56;

/** A domain bound to the node, found by a part of its name; the panel searches, however many there are. */
export function DomainSelect({ nodeId, owner, value, onChange, ...shared }: DomainSelectProps) {
  const { t } = useTranslation("flows");
  const [text, setText] = useState("");
  const asked = useQuery({ ...domainQuery(value ?? ""), enabled: value !== null });
  const chosen = value !== null && asked.data?.owner_id === owner ? asked.data : undefined;
  const [q] = useDebouncedValue(chosen && text === chosen.hostname ? "" : text.trim(), 200);
  const found = useQuery(foundDomainsQuery(nodeId, owner, q)).data?.items ?? [];
  const options = found.map((domain) => ({ value: domain.id, label: domain.hostname }));
  if (value !== null && !options.some((option) => option.value === value))
    options.unshift({ value, label: chosen?.hostname ?? (asked.isPending ? "…" : t("field.domainGone")) });
  return (
    <Select
      placeholder={t("field.address")}
      clearable
      rightSectionWidth={value === null ? undefined : roomForTwo}
      clearButtonProps={{ "aria-label": t("field.useAddress") }}
      searchable
      nothingFoundMessage={t("field.noDomain")}
      data={options}
      filter={({ options: all }) => all}
      value={value}
      onChange={onChange}
      searchValue={text}
      onSearchChange={setText}
      {...shared}
    />
  );
}
