import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { namedQuery, type Named } from "./api";

interface SubjectFieldProps {
  kind: "node" | "connection_unit" | "pool";
  label: string;
  /** Of the one that is chosen; empty: none is. */
  id: string;
  /** How the one is called that is chosen from the beginning. */
  name: string | undefined;
  error: string | undefined;
  focused?: boolean;
  onChange: (id: string) => void;
}

/** A node, flow or pool, found by a part of its name. The chosen one keeps its name whatever is searched for. */
export function SubjectField({ kind, label, id, name, error, focused, onChange }: SubjectFieldProps) {
  const { t } = useTranslation("health");
  const [text, setText] = useState("");
  const [known, setKnown] = useState(name);
  const found = useFound(kind, text === known ? "" : text);
  const options = new Map(found.map((one) => [one.id, one.name]));
  if (id && known) options.set(id, known);
  return (
    <Select
      size="md"
      data-autofocus={focused}
      label={label}
      placeholder={t("find")}
      searchable
      nothingFoundMessage={t("nothing")}
      data={[...options].map(([value, label]) => ({ value, label }))}
      filter={({ options: all }) => all}
      value={id || null}
      searchValue={text}
      onSearchChange={setText}
      error={error}
      onChange={(chosen) => {
        if (!chosen) return;
        setKnown(options.get(chosen));
        onChange(chosen);
      }}
    />
  );
}

const pause = 200;

/** Those whose names hold what was typed, once the typing pauses. */
export function useFound(kind: SubjectFieldProps["kind"], text: string): Named[] {
  const [q] = useDebouncedValue(text.trim(), pause);
  return useQuery(namedQuery(kind, q)).data ?? [];
}
