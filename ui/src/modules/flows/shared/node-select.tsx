import { Select, type SelectProps } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { usePlaces } from "../editor/editor-context";
import { foundServersQuery, namedQuery, type Server } from "./api";

const labelOf = (server: Pick<Server, "name" | "city">) =>
  server.city ? `${server.name}, ${server.city}` : server.name;

type NodeSelectProps = Omit<SelectProps, "value" | "onChange" | "data"> & {
  value: string | null;
  onChange: (value: string | null) => void;
};

/** A node, found by a part of its name; the panel searches, so that a fleet of any size is never loaded. */
export function NodeSelect({ value, onChange, ...shared }: NodeSelectProps) {
  const { t } = useTranslation("flows");
  const [text, setText] = useState("");
  const { servers } = usePlaces();
  const asked = useQuery(namedQuery(value && !servers.has(value) ? [value] : []));
  const chosen = value ? (servers.get(value) ?? asked.data?.find(({ id }) => id === value)) : undefined;
  // What stands in the field after a choice is the name of the chosen one, not a search.
  const [q] = useDebouncedValue(chosen && text === labelOf(chosen) ? "" : text.trim(), 200);
  const found = useQuery(foundServersQuery(q)).data ?? [];
  const options = found.map((server) => ({ value: server.id, label: labelOf(server) }));
  if (value && !options.some((option) => option.value === value))
    options.unshift({ value, label: chosen ? labelOf(chosen) : asked.isSuccess ? t("field.nodeGone") : value });
  return (
    <Select
      placeholder={t("field.choose")}
      searchable
      nothingFoundMessage={t("field.noNode")}
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
