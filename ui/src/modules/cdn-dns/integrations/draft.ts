import type { ProviderField } from "./api";

type Values = Record<string, string>;

const secret = ({ form }: ProviderField) => form === "secret" || form === "key";

/** The first thing that is still to be entered: the label, or a field. A stored secret stays without being typed. */
export function firstMissing(label: string, fields: ProviderField[], values: Values, stored: boolean) {
  if (!label.trim()) return "label";
  return fields.find(
    (field) => field.required && !field.default && !values[field.name]?.trim() && !(stored && secret(field)),
  )?.name;
}

/** What was entered, without empty fields: they have their defaults. */
export function givenFields(fields: ProviderField[], values: Values): Values {
  return Object.fromEntries(
    fields.flatMap(({ name }) => {
      const value = values[name]?.trim();
      return value ? [[name, value]] : [];
    }),
  );
}

/** What differs from what is stored; an empty secret is none. */
export function changedFields(fields: ProviderField[], values: Values, stored: Values): Values {
  return Object.fromEntries(
    fields.flatMap((field) => {
      const value = values[field.name]?.trim() ?? "";
      const same = secret(field) ? value === "" : value === (stored[field.name] ?? "");
      return same ? [] : [[field.name, value]];
    }),
  );
}
