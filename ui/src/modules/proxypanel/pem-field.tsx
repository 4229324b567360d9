import { FileButton, Textarea } from "@mantine/core";
import { IconFile } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import classes from "./proxypanel.module.css";

interface PemProps {
  id: string;
  label: string;
  help: string;
  value: string;
  onChange: (text: string) => void;
  error: string | undefined;
}

/** Certificates and keys as text, typed or from files: a certificate and its key are often two. */
export function PemField({ id, label, help, value, onChange, error }: PemProps) {
  const { t } = useTranslation("proxypanel");
  const take = (files: File[]) =>
    void Promise.all(files.map((file) => file.text())).then((texts) =>
      onChange(texts.map((text) => text.trim()).join("\n")),
    );
  return (
    <div className={classes.pem}>
      <Textarea
        id={id}
        label={label}
        description={help}
        placeholder="-----BEGIN CERTIFICATE-----"
        value={value}
        rows={4}
        maxLength={65_536}
        autoComplete="off"
        spellCheck={false}
        classNames={{ input: classes.pemText }}
        onChange={(event) => onChange(event.currentTarget.value)}
        error={error}
      />
      <FileButton multiple accept=".pem,.crt,.cer,.key,.txt" onChange={take} inputProps={{ "aria-label": label }}>
        {(props) => (
          <Action {...props} size="bar" icon={IconFile} aria-label={t("form.filesFor", { name: label })}>
            {t("form.files")}
          </Action>
        )}
      </FileButton>
    </div>
  );
}
