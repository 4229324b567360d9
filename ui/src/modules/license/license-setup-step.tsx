import { TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { IconArrowLeft } from "@tabler/icons-react";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { licenseQuery } from "@/api/access";
import { Action } from "@/components/action/action";
import { ProblemNote } from "@/components/state/problem-view";
import { SetupBody, SetupFoot } from "@/components/layout/setup-frame";
import { Status } from "@/components/status/status";
import type { SetupStepProps } from "@/module";
import { useActivate } from "./api";
import classes from "./license.module.css";

/** A key, or read-only: the read-only choice is the skip. */
export default function LicenseSetupStep({ onDone, onBack }: SetupStepProps) {
  const { t } = useTranslation("license");
  const license = useQuery(licenseQuery).data;
  const [choice, setChoice] = useState<"key" | "readOnly">("key");
  const [key, setKey] = useState("");
  const [missing, setMissing] = useState(false);
  const activate = useActivate();
  const active = license !== undefined && !license.read_only;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (active) return onDone(license.plan ?? undefined);
    if (choice === "readOnly") return onDone(t("setup.readOnlyResult"), true);
    if (!key.trim()) return setMissing(true);
    if (!activate.isPending) activate.mutate(key.trim(), { onSuccess: (status) => onDone(status.plan ?? undefined) });
  };
  return (
    <SetupBody title={t("title")} lead={t("setup.lead")}>
      <form onSubmit={submit} noValidate>
        {active ? (
          <div className={classes.choice} data-chosen>
            <span />
            <div className={classes.choiceBody}>
              <div>
                <span className={classes.choiceTitle}>{license.plan}</span>{" "}
                <Status kind="healthy">{t("state.active")}</Status>
              </div>
              <p className="soft mono">{license.key_masked}</p>
            </div>
          </div>
        ) : (
          <fieldset className={classes.set}>
            <legend className="visually-hidden">{t("title")}</legend>
            <label className={classes.choice} data-chosen={choice === "key" || undefined}>
              <input type="radio" name="license" checked={choice === "key"} onChange={() => setChoice("key")} />
              <span className={classes.choiceTitle}>{t("setup.have")}</span>
            </label>
            {choice === "key" && (
              <div className={classes.keyField}>
                <TextInput
                  size="md"
                  autoFocus
                  autoComplete="off"
                  spellCheck={false}
                  classNames={{ input: classes.key }}
                  label={t("key")}
                  value={key}
                  onChange={(event) => setKey(event.currentTarget.value)}
                  error={missing && !key.trim() && t("activate.missing")}
                />
                {activate.error && <ProblemNote error={activate.error} />}
              </div>
            )}
            <label className={classes.choice} data-chosen={choice === "readOnly" || undefined}>
              <input
                type="radio"
                name="license"
                checked={choice === "readOnly"}
                onChange={() => setChoice("readOnly")}
              />
              <span className={classes.choiceTitle}>{t("setup.readOnly")}</span>
              <span className={`soft ${classes.choiceText}`}>{t("setup.readOnlyText")}</span>
            </label>
          </fieldset>
        )}
        <SetupFoot
          back={
            onBack && (
              <Action kind="ghost" size="dialog" icon={IconArrowLeft} onClick={onBack}>
                {t("setup.back")}
              </Action>
            )
          }
        >
          <Action kind="filled" size="dialog" type="submit" busy={activate.isPending}>
            {active || choice === "readOnly" ? t("setup.continue") : t("setup.activate")}
          </Action>
        </SetupFoot>
      </form>
    </SetupBody>
  );
}
