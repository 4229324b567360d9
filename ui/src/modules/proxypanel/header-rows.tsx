import { PasswordInput, TextInput } from "@mantine/core";
import { IconPlus, IconX } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { mostHeaders, type Header } from "./draft";
import classes from "./proxypanel.module.css";

interface HeaderRowsProps {
  id: string;
  rows: Header[];
  onChange: (rows: Header[]) => void;
  error: string | undefined;
}

/** The headers that a gate wants, one in a row. */
export function HeaderRows({ id, rows, onChange, error }: HeaderRowsProps) {
  const { t } = useTranslation("proxypanel");
  const set = (at: number, next: Partial<Header>) =>
    onChange(rows.map((row, index) => (index === at ? { ...row, ...next } : row)));
  return (
    <fieldset className={classes.headers} aria-describedby={error && `${id}-error`}>
      <legend className={classes.fieldName}>{t("form.headers")}</legend>
      <p className="dim">{t("form.headersHelp")}</p>
      {rows.map((row, at) => (
        <div key={at} className={classes.header}>
          <TextInput
            id={at === 0 ? id : undefined}
            aria-label={t("form.headerName", { number: at + 1 })}
            placeholder="X-Gate-Key"
            value={row.name}
            maxLength={128}
            autoComplete="off"
            spellCheck={false}
            error={error !== undefined}
            onChange={(event) => set(at, { name: event.currentTarget.value })}
          />
          <PasswordInput
            aria-label={t("form.headerValue", { number: at + 1 })}
            placeholder={t("form.value")}
            value={row.value}
            autoComplete="new-password"
            spellCheck={false}
            error={error !== undefined}
            onChange={(event) => set(at, { value: event.currentTarget.value })}
            visibilityToggleButtonProps={{ "aria-label": t("form.showHeader", { number: at + 1 }) }}
          />
          <Action kind="ghost" iconOnly icon={IconX} onClick={() => onChange(rows.filter((_, index) => index !== at))}>
            {t("form.dropHeader", { number: at + 1 })}
          </Action>
        </div>
      ))}
      {error !== undefined && (
        <p id={`${id}-error`} className={classes.error}>
          {error}
        </p>
      )}
      <div>
        <Action
          id={rows.length === 0 ? id : undefined}
          size="bar"
          icon={IconPlus}
          reason={rows.length >= mostHeaders ? t("form.mostHeaders", { count: mostHeaders }) : undefined}
          onClick={() => onChange([...rows, { name: "", value: "" }])}
        >
          {t("form.addHeader")}
        </Action>
      </div>
    </fieldset>
  );
}
