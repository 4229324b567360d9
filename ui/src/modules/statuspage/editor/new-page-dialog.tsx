import { Select, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { fieldErrors } from "@/api/problem";
import { Action } from "@/components/action/action";
import { DialogFoot, DialogForm } from "@/components/dialog/dialog-form";
import { FormModal, useTyped } from "@/components/form/form-modal";
import { FormProblems } from "@/components/form/form-problems";
import { toastDone } from "@/components/state/toast";
import { useLanguage } from "@/text/use-format";
import { locales, useAddPage, type Locale, type Page } from "../api";
import classes from "../statuspage.module.css";
import { isLocale } from "./draft";

interface NewPageProps {
  onClose: () => void;
  onMade: (id: string) => void;
}

/** Makes a page. Nothing is published by that. */
export function NewPageDialog(props: NewPageProps) {
  const { t } = useTranslation("statuspage");
  return (
    <FormModal opened onClose={props.onClose} title={t("create")}>
      <NewPageForm {...props} />
    </FormModal>
  );
}

function NewPageForm({ onClose, onMade }: NewPageProps) {
  const { t } = useTranslation("statuspage");
  const language = useLanguage();
  const add = useAddPage();
  const [locale, setLocale] = useState<Locale>(language);
  const [title, setTitle] = useState("");
  const [slug, setSlug] = useState("");
  const cancel = useTyped(title !== "" || slug !== "");
  const wrong = fieldErrors(add.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (add.isPending) return;
    const onSuccess = (page: Page) => {
      toastDone(t("created", { name: title }));
      onMade(page.id);
      onClose();
    };
    add.mutate({ slug: slug.trim(), titles: { [locale]: title.trim() }, default_locale: locale }, { onSuccess });
  };
  return (
    <DialogForm onSubmit={submit}>
      <FormProblems error={add.error} fields={{ [`titles.${locale}`]: "statuspage-title", slug: "statuspage-slug" }} />
      <Select
        size="md"
        label={t("defaultLanguage")}
        description={t("defaultLanguageHelp")}
        allowDeselect={false}
        data={locales.map((value) => ({ value, label: t(`language.${value}`) }))}
        value={locale}
        onChange={(next) => next && isLocale(next) && setLocale(next)}
      />
      <TextInput
        size="md"
        id="statuspage-title"
        required
        data-autofocus
        label={t("pageTitle")}
        description={t("pageTitleHelp")}
        placeholder={t("pageTitlePlaceholder")}
        maxLength={200}
        autoComplete="off"
        value={title}
        error={wrong[`titles.${locale}`] ?? wrong.titles}
        onChange={(event) => setTitle(event.currentTarget.value)}
      />
      <TextInput
        size="md"
        id="statuspage-slug"
        required
        className={classes.monoInput}
        label={t("slug")}
        description={t("slugHelp")}
        placeholder="service"
        maxLength={63}
        autoComplete="off"
        spellCheck={false}
        value={slug}
        error={wrong.slug}
        onChange={(event) => setSlug(event.currentTarget.value.toLowerCase())}
      />
      <DialogFoot>
        <Action size="dialog" onClick={cancel}>
          {t("cancel")}
        </Action>
        <Action size="dialog" kind="filled" type="submit" busy={add.isPending}>
          {t("create")}
        </Action>
      </DialogFoot>
    </DialogForm>
  );
}
