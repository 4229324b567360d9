import { PasswordInput, Select, Textarea, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { ProviderField } from "./api";
import classes from "../cdn-dns.module.css";

interface FieldsProps {
  fields: ProviderField[];
  values: Record<string, string>;
  onChange: (name: string, value: string) => void;
  /** Secrets are stored; they are never shown. */
  stored: boolean;
  errorOf: (name: string) => string | undefined;
}

/** The inputs of a service, as it declares them. */
export function DeclaredFields(props: FieldsProps) {
  return props.fields.map((field) => <DeclaredField key={field.name} field={field} {...props} />);
}

function DeclaredField({ field, values, onChange, stored, errorOf }: FieldsProps & { field: ProviderField }) {
  const { t, i18n } = useTranslation("cdn-dns");
  const { name, form } = field;
  const known = i18n.exists(`field.${name}`, { ns: "cdn-dns" });
  const label = known ? t(`field.${name}` as "field.api_token") : name;
  const common = { id: `integration-${name}`, label, required: false, error: errorOf(name) };
  const value = values[name] ?? "";
  if (form === "choice")
    return (
      <Select
        {...common}
        data={field.choices}
        value={value || field.default}
        onChange={(next) => onChange(name, next ?? "")}
        allowDeselect={false}
      />
    );
  const help = i18n.exists(`help.${name}`, { ns: "cdn-dns" }) ? t(`help.${name}` as "help.api_token") : undefined;
  if (form === "key")
    return (
      <Textarea
        {...common}
        description={help}
        placeholder={stored ? t("stored") : undefined}
        value={value}
        autosize
        minRows={4}
        maxRows={10}
        autoComplete="off"
        spellCheck={false}
        className={classes.key}
        onChange={(event) => onChange(name, event.currentTarget.value)}
      />
    );
  if (form === "secret")
    return (
      <PasswordInput
        {...common}
        description={help}
        placeholder={stored ? t("stored") : undefined}
        value={value}
        autoComplete="new-password"
        spellCheck={false}
        onChange={(event) => onChange(name, event.currentTarget.value)}
        visibilityToggleButtonProps={{ "aria-label": t("show", { name: label }) }}
      />
    );
  return (
    <TextInput
      {...common}
      description={help}
      placeholder={field.default}
      value={value}
      autoComplete="off"
      spellCheck={false}
      {...(form === "address" && { inputMode: "url" as const })}
      onChange={(event) => onChange(name, event.currentTarget.value)}
    />
  );
}
