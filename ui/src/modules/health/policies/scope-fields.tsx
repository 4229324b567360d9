import { Select, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { SubjectField } from "../shared/subject-field";
import type { Scope } from "./api";
import classes from "./policies.module.css";

interface ScopeFieldsProps {
  scope: Scope;
  /** How the node, flow or pool is called that is chosen already. */
  name: string | undefined;
  error: string | undefined;
  onChange: (scope: Scope) => void;
}

const kinds = ["tag", "pool", "node", "connection_unit"] as const;

/** Whom a policy speaks of: a tag, the members of a pool, a node or a flow. */
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
      {(scope.kind === "node" || scope.kind === "connection_unit" || scope.kind === "pool") && (
        <SubjectField
          key={scope.kind}
          kind={scope.kind}
          label={t(`policy.scope.${scope.kind}`)}
          id={scope.id ?? ""}
          name={name}
          error={error}
          onChange={(id) => onChange({ kind: scope.kind, id })}
        />
      )}
    </div>
  );
}
