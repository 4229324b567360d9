import { Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { sourcesQuery } from "../api";

interface NodePickerProps {
  value: string | undefined;
  error: string | undefined;
  onChange: (id: string) => void;
}

/** Finds the node whose agent serves the page. */
export function NodePicker({ value, error, onChange }: NodePickerProps) {
  const { t } = useTranslation("statuspage");
  const [typed, setTyped] = useState("");
  const found = useQuery(sourcesQuery("node", typed)).data ?? [];
  const options = found.map(({ id, name }) => ({ value: id, label: name }));
  if (value !== undefined && !options.some((one) => one.value === value)) options.unshift({ value, label: value });
  return (
    <Select
      size="md"
      searchable
      required
      id="target-node_id"
      label={t("config.node")}
      description={t("config.nodeHelp")}
      nothingFoundMessage={t("component.nothing")}
      allowDeselect={false}
      data={options}
      filter={({ options: all }) => all}
      value={value ?? null}
      error={error}
      onSearchChange={setTyped}
      onChange={(next) => next && onChange(next)}
    />
  );
}
