import { Select, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { namedQuery, type Scope } from "./api";
import classes from "./policies.module.css";

interface ScopeFieldsProps {
  scope: Scope;
  /** How the node or flow is called that is chosen already. */
  name: string | undefined;
  error: string | undefined;
  onChange: (scope: Scope) => void;
}

const kinds = ["tag", "node", "connection_unit"] as const;

/** Whom a policy speaks of: a tag, a node or a flow. */
export function ScopeFields({ scope, name, error, onChange }: ScopeFieldsProps) {
  const { t } = useTranslation("health");
  return (
    <div className={classes.pair}>
      <Select
        size="md"
        label={t("policy.speaksOfField")}
        allowDeselect={false}
        data={kinds.map((value) => ({ value, label: t(`policy.scope.${value}`) }))}
        value={scope.kind}
        onChange={(kind) => kind && onChange({ kind: kind as Scope["kind"] })}
      />
      {scope.kind === "tag" && (
        <TextInput
          size="md"
          label={t("policy.scope.tag")}
          maxLength={64}
          value={scope.tag ?? ""}
          error={error}
          onChange={(event) => onChange({ kind: "tag", tag: event.currentTarget.value })}
        />
      )}
      {(scope.kind === "node" || scope.kind === "connection_unit") && (
        <SubjectField key={scope.kind} kind={scope.kind} scope={scope} name={name} error={error} onChange={onChange} />
      )}
    </div>
  );
}

const pause = 200;

/** A node or flow, found by a part of its name. The one that is chosen keeps its name whatever is searched for. */
function SubjectField({ kind, scope, name, error, onChange }: ScopeFieldsProps & { kind: "node" | "connection_unit" }) {
  const { t } = useTranslation("health");
  const [text, setText] = useState("");
  const [known, setKnown] = useState(name);
  const [q] = useDebouncedValue(text === known ? "" : text.trim(), pause);
  const found = useQuery(namedQuery(kind, q)).data ?? [];
  const options = new Map(found.map(({ id, name }) => [id, name]));
  if (scope.id && known) options.set(scope.id, known);
  return (
    <Select
      size="md"
      label={t(`policy.scope.${kind}`)}
      placeholder={t("find")}
      searchable
      nothingFoundMessage={t("nothing")}
      data={[...options].map(([value, label]) => ({ value, label }))}
      filter={({ options: all }) => all}
      value={scope.id || null}
      searchValue={text}
      onSearchChange={setText}
      error={error}
      onChange={(id) => {
        if (!id) return;
        setKnown(options.get(id));
        onChange({ kind, id });
      }}
    />
  );
}
