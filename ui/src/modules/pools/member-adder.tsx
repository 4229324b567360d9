import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { foundFlowsQuery, foundNodesQuery } from "./api";
import type { MemberEntry } from "./pool-form";

interface MemberAdderProps {
  /** Ids of those that are members already; they are not offered. */
  taken: string[];
  onAdd: (member: Pick<MemberEntry, "id" | "kind" | "name">) => void;
}

/** Adds a node or a flow, found by a part of its name. */
export function MemberAdder({ taken, onAdd }: MemberAdderProps) {
  const { t } = useTranslation("pools");
  const [text, setText] = useState("");
  const [q] = useDebouncedValue(text.trim(), 200);
  const free = ({ id }: { id: string }) => !taken.includes(id);
  const nodes = (useQuery(foundNodesQuery(q)).data?.items ?? []).filter(free);
  const flows = (useQuery(foundFlowsQuery(q)).data?.items ?? []).filter(free);
  const options = (found: { id: string; name: string }[]) => found.map(({ id, name }) => ({ value: id, label: name }));
  return (
    <Select
      size="md"
      id="pool-members"
      label={t("form.addMember")}
      placeholder={t("form.addMemberHint")}
      description={t("form.addMemberHelp")}
      searchable
      nothingFoundMessage={t("form.noMember")}
      data={[
        { group: t("kind.nodes"), items: options(nodes) },
        { group: t("kind.flows"), items: options(flows) },
      ]}
      filter={({ options }) => options}
      value={null}
      searchValue={text}
      onSearchChange={setText}
      onChange={(id) => {
        const node = nodes.find((one) => one.id === id);
        const flow = flows.find((one) => one.id === id);
        if (node) onAdd({ id: node.id, kind: "node", name: node.name });
        if (flow) onAdd({ id: flow.id, kind: "flow", name: flow.name });
        setText("");
      }}
    />
  );
}
