import { useForm, type UseFormInput, type UseFormReturnType } from "@mantine/form";
import { useEffect, useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useWriteBlock, type WriteRule } from "@/api/access";
import { fieldErrors, isProblem } from "@/api/problem";
import type { OpenDocument, SettingsDocument } from "@/api/settings-document";
import { Card } from "@/components/layout/card";
import { ProblemView } from "@/components/state/problem-view";
import { Skeleton } from "@/components/state/states";
import { toastDone } from "@/components/state/toast";
import { ConflictNote } from "./conflict-note";
import { FormProblems } from "./form-problems";
import { SaveBar } from "./save-bar";
import classes from "./settings-form.module.css";

type Fields = Record<string, unknown>;

export interface SettingsFormProps<View, Values extends Fields> {
  title: string;
  document: OpenDocument<View, Values>;
  /** Who may change it, as for every writing act. */
  rule: WriteRule;
  /** The form's values of what was read. A secret is read as `has_…` only, so its field begins empty. */
  valuesOf: (view: View, document: SettingsDocument<View>) => Values;
  validate?: UseFormInput<Values>["validate"];
  /** Draws the fields; `field("name")` gives a Mantine input its value, its errors and whether it is closed. */
  children: (form: {
    view: View;
    document: SettingsDocument<View>;
    values: Values;
    field: (path: Extract<keyof Values, string>) => Record<string, unknown>;
    form: UseFormReturnType<Values>;
  }) => ReactNode;
}

/** A settings document as a form: explicit save, errors at their fields, and a choice when somebody saved before. */
export function SettingsForm<View, Values extends Fields>(props: SettingsFormProps<View, Values>) {
  const { data, error, refetch } = props.document.query;
  if (data) return <Opened {...props} read={data} />;
  if (error) return <ProblemView error={error} onRetry={() => void refetch()} tried={props.title} />;
  return <Skeleton rows={6} />;
}

function Opened<View, Values extends Fields>({
  title,
  document: { query, save },
  rule,
  valuesOf,
  validate,
  children,
  read,
}: SettingsFormProps<View, Values> & { read: SettingsDocument<View> }) {
  const { t } = useTranslation("app");
  const closed = useWriteBlock(rule);
  // The document that the fields began with: newer readings come in as long as nothing is typed.
  const [base, setBase] = useState(read);
  const form = useForm<Values>({ initialValues: valuesOf(base.settings, base), validateInputOnBlur: true, validate });
  const begin = (document: SettingsDocument<View>) => {
    setBase(document);
    form.setInitialValues(valuesOf(document.settings, document));
    form.reset();
    save.reset();
  };
  const send = (revision: number) => (values: Values) =>
    save.mutate(
      { revision, settings: values },
      {
        onSuccess: (stored) => {
          begin(stored);
          toastDone(t("settings.saved"), title);
        },
      },
    );
  const conflict = isProblem(save.error, "revision_conflict");
  const server = settingsErrors(save.error);
  const values = form.getValues();
  const changes = changedKeys(values, valuesOf(base.settings, base)).length;
  const outdated = read.revision > base.revision && changes === 0 && !save.isPending;
  useEffect(() => {
    if (outdated) begin(read);
  });
  const field = (path: Extract<keyof Values, string>) => ({
    id: `setting-${path}`,
    ...form.getInputProps(path, { type: typeof values[path] === "boolean" ? "checkbox" : "input" }),
    error: form.errors[path] ?? server[path],
    disabled: closed !== undefined,
  });
  return (
    <>
      <Card title={title}>
        <form className={classes.form} noValidate onSubmit={form.onSubmit(send(base.revision))}>
          {conflict && (
            <ConflictNote
              onTheirs={() => void query.refetch().then(({ data }) => data && begin(data))}
              onMine={() => void query.refetch().then(({ data }) => data && send(data.revision)(values))}
              busy={save.isPending}
            />
          )}
          {save.error !== null && !conflict && (
            <FormProblems
              error={save.error}
              fields={Object.fromEntries(Object.keys(values).map((key) => [`settings.${key}`, `setting-${key}`]))}
            />
          )}
          {closed !== undefined && <p className="dim">{closed}</p>}
          {children({ view: base.settings, document: base, values, field, form })}
        </form>
      </Card>
      <SaveBar
        changes={changes}
        onSave={() => form.onSubmit(send(base.revision))()}
        onDiscard={() => begin(query.data ?? base)}
        busy={save.isPending}
        reason={closed}
      />
    </>
  );
}

/** The fields that differ, compared by content. */
export function changedKeys(now: Fields, before: Fields): string[] {
  return Object.keys(now).filter((key) => JSON.stringify(now[key]) !== JSON.stringify(before[key]));
}

function settingsErrors(error: unknown): Record<string, string> {
  const all = Object.entries(fieldErrors(error));
  return Object.fromEntries(all.map(([path, text]) => [path.replace(/^settings\./, ""), text]));
}
