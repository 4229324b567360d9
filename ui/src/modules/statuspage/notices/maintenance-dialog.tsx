import { MultiSelect } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { fieldErrors } from "@/api/problem";
import { Action } from "@/components/action/action";
import { DialogFoot, DialogForm } from "@/components/dialog/dialog-form";
import { DateTimeField } from "@/components/form/date-time-field";
import { FormModal, useTyped } from "@/components/form/form-modal";
import { FormProblems } from "@/components/form/form-problems";
import { toastDone } from "@/components/state/toast";
import { useAddMaintenance, useChangeMaintenance, type Maintenance, type Page } from "../api";
import { languagesOf } from "../editor/draft";
import { LocalisedField, localText, written } from "../shared/localised";
import classes from "../statuspage.module.css";
import { choicesOf } from "./notice-dialog";

interface MaintenanceDialogProps {
  page: Page;
  /** Left out for new work. */
  work: Maintenance | undefined;
  onClose: () => void;
}

/** Announces work, or changes what was announced. */
export function MaintenanceDialog(props: MaintenanceDialogProps) {
  const { t } = useTranslation("statuspage");
  return (
    <FormModal opened onClose={props.onClose} title={t(props.work ? "works.changeTitle" : "works.add")} size="lg">
      <MaintenanceForm {...props} />
    </FormModal>
  );
}

const hour = 3_600_000;

/** The next full hour but one, for an hour. */
function soon(): Pick<Maintenance, "starts_at" | "ends_at"> {
  const begin = Math.ceil(Date.now() / hour) * hour + hour;
  return { starts_at: new Date(begin).toISOString(), ends_at: new Date(begin + hour).toISOString() };
}

const emptyWork = () => ({ titles: {}, bodies: {}, component_ids: [], ...soon() });

function MaintenanceForm({ page, work, onClose }: MaintenanceDialogProps) {
  const { t } = useTranslation("statuspage");
  const add = useAddMaintenance();
  const change = useChangeMaintenance();
  const running = work ? change : add;
  const [first] = useState<Pick<Maintenance, "titles" | "bodies" | "starts_at" | "ends_at" | "component_ids">>(
    () => work ?? emptyWork(),
  );
  const [draft, setDraft] = useState(first);
  const set = (some: Partial<typeof draft>) => setDraft((now) => ({ ...now, ...some }));
  const cancel = useTyped(draft !== first);
  const locales = languagesOf(page);
  const wrong = fieldErrors(running.error);
  const at = (name: string) => (locale: string) =>
    wrong[`${name}.${locale}`] ?? (locale === locales[0] ? wrong[name] : undefined);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (running.isPending) return;
    const onSuccess = () => {
      toastDone(t(work ? "works.changed" : "works.added"), localText(draft.titles, page.default_locale));
      onClose();
    };
    const { starts_at, ends_at, component_ids } = draft;
    const body = { titles: written(draft.titles), bodies: written(draft.bodies), starts_at, ends_at, component_ids };
    if (work) change.mutate({ id: work.id, revision: work.revision, ...body }, { onSuccess });
    else add.mutate({ page_id: page.id, ...body }, { onSuccess });
  };
  return (
    <DialogForm onSubmit={submit}>
      <FormProblems
        error={running.error}
        fields={{
          [`titles.${locales[0]}`]: "work-title",
          starts_at: "work-start",
          ends_at: "work-end",
        }}
      />
      <LocalisedField
        id="work-title"
        label={t("works.title")}
        required
        locales={locales}
        maxLength={200}
        value={draft.titles}
        error={at("titles")}
        onChange={(titles) => set({ titles })}
      />
      <LocalisedField
        id="work-body"
        label={t("works.text")}
        description={t("notices.textHelp")}
        locales={locales}
        maxLength={10_000}
        rows={3}
        value={draft.bodies}
        error={at("bodies")}
        onChange={(bodies) => set({ bodies })}
      />
      <div className={classes.pair}>
        <DateTimeField
          size="md"
          id="work-start"
          required
          label={t("works.from")}
          value={draft.starts_at}
          error={wrong.starts_at}
          onChange={(moment) => moment && set({ starts_at: moment })}
        />
        <DateTimeField
          size="md"
          id="work-end"
          required
          label={t("works.to")}
          value={draft.ends_at}
          error={wrong.ends_at}
          onChange={(moment) => moment && set({ ends_at: moment })}
        />
      </div>
      <MultiSelect
        searchable
        size="md"
        label={t("works.components")}
        description={t("works.componentsHelp")}
        data={choicesOf(page)}
        value={draft.component_ids}
        onChange={(component_ids) => set({ component_ids })}
      />
      <DialogFoot>
        <Action size="dialog" onClick={cancel}>
          {t("cancel")}
        </Action>
        <Action size="dialog" kind="filled" type="submit" busy={running.isPending}>
          {t(work ? "works.save" : "works.announce")}
        </Action>
      </DialogFoot>
    </DialogForm>
  );
}
