import i18next from "i18next";
import { useTranslation } from "react-i18next";
import { isProblem } from "@/api/problem";
import { fieldText } from "@/text/problem-text";
import { destinationFieldId, type DestinationField } from "./destination-draft";
import { fieldId, fieldIds, type Problems, type ProfileDraft, type ProfileField } from "./profile-draft";

/** What is wrong with each field: what the page knows by itself, else what the panel said of it. */
export interface FormErrors {
  of: (field: ProfileField) => string | undefined;
  ofDestination: (key: string, field: DestinationField) => string | undefined;
}

export function useFormErrors(draft: ProfileDraft, found: Problems, error: unknown): FormErrors {
  const { t } = useTranslation("backups");
  const refused = refusedFields(error, fieldIds(draft));
  return {
    of: (field) => {
      const own = found.fields[field];
      return own ? t(`wrong.${own}`) : refused[fieldId(field)];
    },
    ofDestination: (key, field) => {
      const own = found.destinations[key]?.[field];
      return own ? t(`wrong.${own}`) : refused[destinationFieldId(key, field)];
    },
  };
}

/**
 * What the panel said of fields, by the ids of the fields. It speaks English; Russian has a sentence for each field.
 */
export function refusedFields(error: unknown, ids: Record<string, string>): Record<string, string> {
  if (!isProblem(error)) return {};
  return Object.fromEntries(
    error.fields.flatMap((item) => {
      const id = ids[item.field];
      if (id === undefined) return [];
      const key = `refused.${id.split("-").at(-1) ?? ""}`;
      const known = i18next.language !== "en" && i18next.exists(key, { ns: "backups" });
      return [[id, known ? i18next.t(key, { ns: "backups" }) : fieldText(item)]];
    }),
  );
}
