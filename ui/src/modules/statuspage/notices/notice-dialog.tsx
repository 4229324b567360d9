import { Checkbox, MultiSelect, Select } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { fieldErrors } from "@/api/problem";
import { Action } from "@/components/action/action";
import { DialogFoot, DialogForm } from "@/components/dialog/dialog-form";
import { FormModal, useTyped } from "@/components/form/form-modal";
import { FormProblems } from "@/components/form/form-problems";
import { toastDone } from "@/components/state/toast";
import { useAddNotice, type Impact, type Localised, type Notice, type NoticeState, type Page } from "../api";
import { languagesOf } from "../editor/draft";
import { LocalisedField, localText, written } from "../shared/localised";
import classes from "../statuspage.module.css";

export const impacts: Impact[] = ["none", "minor", "major", "critical"];
export const noticeStates: NoticeState[] = ["investigating", "identified", "monitoring", "resolved"];

/** The components of a page as choices. */
export const choicesOf = (page: Page) =>
  page.components.map(({ id, names }) => ({ value: id ?? "", label: localText(names, page.default_locale) }));

interface NoticeDialogProps {
  page: Page;
  onClose: () => void;
}

/** Writes an incident: as a draft, or visible to readers at once. */
export function NoticeDialog(props: NoticeDialogProps) {
  const { t } = useTranslation("statuspage");
  return (
    <FormModal opened onClose={props.onClose} title={t("notices.add")} size="lg">
      <NoticeForm {...props} />
    </FormModal>
  );
}

function NoticeForm({ page, onClose }: NoticeDialogProps) {
  const { t } = useTranslation("statuspage");
  const add = useAddNotice();
  const [titles, setTitles] = useState<Localised>({});
  const [bodies, setBodies] = useState<Localised>({});
  const [impact, setImpact] = useState<Impact>("minor");
  const [state, setState] = useState<NoticeState>("investigating");
  const [componentIds, setComponentIds] = useState<string[]>([]);
  const [published, setPublished] = useState(false);
  const cancel = useTyped(Object.keys(titles).length > 0 || Object.keys(bodies).length > 0);
  const wrong = fieldErrors(add.error);
  const locales = languagesOf(page);
  const at = (name: string) => (locale: string) =>
    wrong[`${name}.${locale}`] ?? (locale === locales[0] ? wrong[name] : undefined);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (add.isPending) return;
    const onSuccess = (made: Notice) => {
      toastDone(t(published ? "notices.published" : "notices.drafted"), localText(made.titles, page.default_locale));
      onClose();
    };
    add.mutate(
      {
        page_id: page.id,
        titles: written(titles),
        bodies: written(bodies),
        impact,
        state,
        component_ids: componentIds,
        published,
      },
      { onSuccess },
    );
  };
  return (
    <DialogForm onSubmit={submit}>
      <FormProblems
        error={add.error}
        fields={{ [`titles.${locales[0]}`]: "notice-title", [`bodies.${locales[0]}`]: "notice-body" }}
      />
      <LocalisedField
        id="notice-title"
        label={t("notices.title")}
        required
        locales={locales}
        maxLength={200}
        value={titles}
        error={at("titles")}
        onChange={setTitles}
      />
      <LocalisedField
        id="notice-body"
        label={t("notices.text")}
        description={t("notices.textHelp")}
        required
        locales={locales}
        maxLength={10_000}
        rows={3}
        value={bodies}
        error={at("bodies")}
        onChange={setBodies}
      />
      <div className={classes.pair}>
        <Select
          size="md"
          label={t("notices.impact")}
          allowDeselect={false}
          data={impacts.map((value) => ({ value, label: t(`impact.${value}`) }))}
          value={impact}
          onChange={(next) => next && setImpact(next as Impact)}
        />
        <Select
          size="md"
          label={t("notices.state")}
          allowDeselect={false}
          data={noticeStates.map((value) => ({ value, label: t(`notice.${value}`) }))}
          value={state}
          onChange={(next) => next && setState(next as NoticeState)}
        />
      </div>
      <MultiSelect
        searchable
        size="md"
        label={t("notices.components")}
        description={t("notices.componentsHelp")}
        data={choicesOf(page)}
        value={componentIds}
        onChange={setComponentIds}
      />
      <Checkbox
        checked={published}
        onChange={(event) => setPublished(event.currentTarget.checked)}
        label={t("notices.publishNow")}
        description={t("notices.publishNowHelp")}
      />
      <DialogFoot>
        <Action size="dialog" onClick={cancel}>
          {t("cancel")}
        </Action>
        <Action size="dialog" kind="filled" type="submit" busy={add.isPending}>
          {t(published ? "notices.publishVerb" : "notices.saveDraft")}
        </Action>
      </DialogFoot>
    </DialogForm>
  );
}
