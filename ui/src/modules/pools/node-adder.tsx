import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { foundNodesQuery } from "./api";

/** Adds a node, found by a part of its name. Those that are members already are not offered. */
export function NodeAdder({ taken, onAdd }: { taken: string[]; onAdd: (node: { id: string; name: string }) => void }) {
  const { t } = useTranslation("pools");
  const [text, setText] = useState("");
  const [q] = useDebouncedValue(text.trim(), 200);
  const found = (useQuery(foundNodesQuery(q)).data?.items ?? []).filter(({ id }) => !taken.includes(id));
  return (
    <Select
      size="md"
      id="pool-members"
      label={t("form.addMember")}
      placeholder={t("form.addMemberHint")}
      searchable
      nothingFoundMessage={t("form.noNode")}
      data={found.map(({ id, name }) => ({ value: id, label: name }))}
      filter={({ options }) => options}
      value={null}
      searchValue={text}
      onSearchChange={setText}
      onChange={(id) => {
        const node = found.find((one) => one.id === id);
        if (node) onAdd(node);
        setText("");
      }}
    />
  );
}
