import { Checkbox, Select, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Card } from "@/components/layout/card";
import { locales } from "../api";
import { LocalisedField } from "../shared/localised";
import classes from "../statuspage.module.css";
import { isLocale, languagesOf, type CardProps } from "./draft";

/** What the page is called, in which languages, and under which word of the address. */
export function BasicsCard({ draft, set, block, wrong }: CardProps) {
  const { t } = useTranslation("statuspage");
  const languages = languagesOf(draft);
  const disabled = block !== undefined;
  const text = (name: "titles" | "descriptions" | "footers") => ({
    locales: languages,
    value: draft[name],
    onChange: (value: typeof draft.titles) => set({ [name]: value }),
    error: (locale: string) => wrong[`${name}.${locale}`] ?? (locale === languages[0] ? wrong[name] : undefined),
    disabled,
  });
  const second = locales.find((locale) => locale !== draft.default_locale)!;
  return (
    <Card title={t("basics")}>
      <div className={classes.stack}>
        <LocalisedField id="page-title" label={t("pageTitle")} required maxLength={200} {...text("titles")} />
        <LocalisedField
          id="page-description"
          label={t("description")}
          description={t("descriptionHelp")}
          maxLength={1000}
          rows={2}
          {...text("descriptions")}
        />
        <LocalisedField
          id="page-footer"
          label={t("footer")}
          description={t("footerHelp")}
          maxLength={1000}
          rows={2}
          {...text("footers")}
        />
        <div className={classes.pair}>
          <Select
            size="md"
            label={t("defaultLanguage")}
            description={t("defaultLanguageHelp")}
            allowDeselect={false}
            disabled={disabled}
            data={draft.locales.filter(isLocale).map((value) => ({ value, label: t(`language.${value}`) }))}
            value={draft.default_locale}
            onChange={(next) => next && isLocale(next) && set({ default_locale: next })}
          />
          <TextInput
            size="md"
            id="page-slug"
            className={classes.monoInput}
            label={t("slug")}
            description={t("slugHelp")}
            maxLength={63}
            autoComplete="off"
            spellCheck={false}
            disabled={disabled}
            value={draft.slug}
            error={wrong.slug}
            onChange={(event) => set({ slug: event.currentTarget.value.toLowerCase() })}
          />
        </div>
        <Checkbox
          disabled={disabled}
          checked={draft.locales.includes(second)}
          onChange={(event) => set({ locales: event.currentTarget.checked ? [...locales] : [draft.default_locale] })}
          label={t("second", { language: t(`language.${second}`) })}
          description={t("secondHelp")}
        />
      </div>
    </Card>
  );
}
