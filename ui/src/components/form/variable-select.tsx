import { Select, type SelectProps } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { SettingsDocument, SettingsVariable } from "@/api/settings-document";

/** The choice that leaves a field of the settings to its variable. */
export const asVariable = "variable";

/** The value of a field in a form: its own, or that its variable holds. */
export function ownOrVariable(document: SettingsDocument<unknown>, field: string, own: string): string {
  return variableOf(document, field)?.holds ? asVariable : own;
}

/** What a request says of such a field: nothing where the variable holds. */
export function ownValue<Value extends string>(value: Value | typeof asVariable): Value | undefined {
  return value === asVariable ? undefined : value;
}

interface VariableSelectProps extends Omit<SelectProps, "data"> {
  document: SettingsDocument<unknown>;
  field: string;
  /** The values by their names for people. */
  names: Record<string, string>;
}

/** A choice among the values of a field or its variable; below it stands which of both holds now. */
export function VariableSelect({ document, field, names, ...select }: VariableSelectProps) {
  const { t } = useTranslation("app");
  const variable = variableOf(document, field);
  const own = Object.entries(names).map(([value, label]) => ({ value, label }));
  if (!variable) return <Select data={own} allowDeselect={false} {...select} />;
  const named = { variable: variable.variable, value: names[variable.value] ?? variable.value };
  const label = t(variable.given ? "settings.asVariable" : "settings.asDefault", named);
  return (
    <Select
      data={[{ value: asVariable, label }, ...own]}
      description={t(`settings.holds.${sourceOf(variable)}`, { variable: variable.variable, value: variable.value })}
      allowDeselect={false}
      {...select}
    />
  );
}

function variableOf(document: SettingsDocument<unknown>, field: string): SettingsVariable | undefined {
  return document.variables?.find((variable) => variable.field === field);
}

function sourceOf({ holds, given }: SettingsVariable): "variable" | "default" | "document" | "documentAlone" {
  if (holds) return given ? "variable" : "default";
  return given ? "document" : "documentAlone";
}
