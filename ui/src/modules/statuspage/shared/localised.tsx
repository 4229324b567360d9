import { Textarea, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Locale, Localised } from "../api";
import classes from "../statuspage.module.css";

/** The text in a language, or in the first that it has. */
export function localText(texts: Localised, locale: string): string {
  return texts[locale] || Object.values(texts).find((text) => text !== "") || "";
}

/** The texts without those of which nothing is written. */
export const written = (texts: Localised): Localised =>
  Object.fromEntries(Object.entries(texts).filter(([, text]) => text.trim() !== ""));

interface LocalisedFieldProps {
  id: string;
  label: string;
  description?: string;
  /** Languages of the page, its first one above. */
  locales: readonly string[];
  value: Localised;
  onChange: (value: Localised) => void;
  error?: (locale: string) => string | undefined;
  /** Lines of a longer text; one line without it. */
  rows?: number;
  maxLength: number;
  disabled?: boolean;
  required?: boolean;
}

/** One field per language of a page: the first must be written, the others stand in for nothing. */
export function LocalisedField(props: LocalisedFieldProps) {
  const { id, label, description, locales, value, onChange, error, rows, maxLength, disabled, required } = props;
  const { t } = useTranslation("statuspage");
  const several = locales.length > 1;
  return (
    <div className={classes.localised} data-several={several || undefined}>
      {locales.map((locale, at) => {
        const field = {
          id: at === 0 ? id : `${id}-${locale}`,
          size: "md" as const,
          label: several ? t("inLanguage", { what: label, language: t(`language.${locale as Locale}`) }) : label,
          description: at === 0 ? description : undefined,
          required: required === true && at === 0,
          lang: locale,
          maxLength,
          disabled,
          error: error?.(locale),
          value: value[locale] ?? "",
          onChange: (event: { currentTarget: { value: string } }) =>
            onChange({ ...value, [locale]: event.currentTarget.value }),
        };
        return rows ? (
          <Textarea key={locale} {...field} autosize minRows={rows} maxRows={16} />
        ) : (
          <TextInput key={locale} {...field} autoComplete="off" />
        );
      })}
    </div>
  );
}
