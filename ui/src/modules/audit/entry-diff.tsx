import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Segmented } from "@/components/form/segmented";
import classes from "./diff.module.css";
import { diffOf, sideBySide, type DiffField, type DiffLine } from "./diff";
import type { Entry } from "./api";

/** Fields before and after, one under the other or side by side. */
export function EntryDiff({ changes }: { changes: Entry["changes"] }) {
  const { t } = useTranslation("audit");
  const [form, setForm] = useState<"unified" | "split">("unified");
  const fields = diffOf(changes);
  if (fields.length === 0) return <p className="dim">{t("diff.none")}</p>;
  return (
    <div>
      <div className={classes.bar}>
        <h3>{t("diff.title")}</h3>
        <span className="dim">{t("diff.count", { count: fields.length })}</span>
        <Segmented
          label={t("diff.form")}
          value={form}
          onChange={setForm}
          options={[
            { value: "split", label: t("diff.split") },
            { value: "unified", label: t("diff.unified") },
          ]}
        />
      </div>
      <div className={classes.diff} data-form={form}>
        {fields.map((field) => (
          <Field key={field.path} field={field} split={form === "split"} />
        ))}
      </div>
    </div>
  );
}

function Field({ field, split }: { field: DiffField; split: boolean }) {
  const { t } = useTranslation("audit");
  return (
    <div role="group" aria-label={field.path}>
      <div className={classes.path}>{field.path}</div>
      {field.secret && <div className={classes.secret}>{t(`diff.secret.${field.secret}`)}</div>}
      {split
        ? sideBySide(field.lines).map((row, index) => (
            <div key={index} className={classes.pair}>
              <Line line={row.before} />
              <Line line={row.after} />
            </div>
          ))
        : field.lines.map((line, index) => <Line key={index} line={line} />)}
    </div>
  );
}

function Line({ line }: { line: DiffLine | undefined }) {
  const { t } = useTranslation("audit");
  if (!line) return <div className={classes.line} data-sign="none" />;
  const sign = { "+": "added", "-": "removed", " ": "same" }[line.sign] as "added" | "removed" | "same";
  return (
    <div className={classes.line} data-sign={sign}>
      <span aria-hidden>{line.sign}</span>
      <span>
        {sign !== "same" && <span className="visually-hidden">{t(`diff.${sign}`)} </span>}
        {line.text}
      </span>
    </div>
  );
}
