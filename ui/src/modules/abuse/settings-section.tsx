import { MultiSelect, NumberInput, Switch, Textarea, TagsInput } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useSettingsDocument } from "@/api/settings-document";
import { SettingsForm, type SettingsFormProps } from "@/components/form/settings-form";
import classes from "./abuse.module.css";
import { actKinds } from "./acts/acts";
import { settingsCalls, type Settings } from "./api";
import { ScoringFields, type NumberField } from "./scoring-fields";
import { signalKinds } from "./shared/kinds";

export type Fields = Settings & Record<string, unknown>;
type Drawn = Parameters<SettingsFormProps<Settings, Fields>["children"]>[0];

/** What is kept of abuse, what agents look for, and from when on something is suggested. */
export default function SettingsSection() {
  const { t } = useTranslation("abuse");
  const document = useSettingsDocument<Settings, Fields>("abuse", settingsCalls);
  return (
    <SettingsForm
      title={t("settings.title")}
      document={document}
      rule={{ needs: "abuse.manage", feature: "abuse" }}
      valuesOf={(settings): Fields => ({ ...settings })}
    >
      {(drawn) => <Parts {...drawn} />}
    </SettingsForm>
  );
}

const automaticSteps = ["warn", "soft_block", "temp_block", "hard_block"] as const;
const levels = ["warn", "limit", "block"] as const;
const mostScore = 255;
const mostCount = 1_000_000;

const limits = [
  ["scan_hosts", mostCount],
  ["scan_ports", 65_535],
  ["mails", mostCount],
  ["logins", mostCount],
  ["flood_rate", mostCount],
  ["high_rate", mostCount],
  ["high_source", mostCount],
] as const;

function Parts({ field, form }: Drawn) {
  const { t } = useTranslation("abuse");
  const number: NumberField = (path, label, [min, max], help) => (
    <NumberInput
      key={path}
      label={label}
      description={help}
      min={min}
      max={max}
      allowDecimal={false}
      hideControls
      {...field(path as never)}
    />
  );
  return (
    <>
      <Part title={t("settings.keeps")}>
        <div className={classes.pair}>
          {number("keep_days", t("settings.keep"), [1, 90], t("settings.keepHelp"))}
          {number("keep_address_days", t("settings.addresses"), [1, 14], t("settings.addressesHelp"))}
        </div>
      </Part>
      <Part title={t("settings.suggests")} text={t("settings.suggestsText")}>
        <div className={classes.four}>
          {number("scoring.min_score", t("settings.min_score"), [1, mostScore])}
          {levels.map((level) => number(`thresholds.${level}`, t(`settings.${level}`), [1, mostScore]))}
        </div>
        {field("thresholds").error !== undefined && (
          <p className={classes.wrong} role="alert">
            {String(field("thresholds").error)}
          </p>
        )}
      </Part>
      <Part title={t("settings.collect")}>
        <Switch
          label={t("settings.enabled")}
          description={t("settings.enabledHelp")}
          {...form.getInputProps("collect.enabled", { type: "checkbox" })}
          disabled={field("keep_days").disabled as boolean}
        />
        <MultiSelect
          label={t("settings.kinds")}
          description={t("settings.kindsHelp")}
          placeholder={form.getValues().collect.kinds.length === 0 ? t("settings.kindsAll") : undefined}
          data={signalKinds.map((value) => ({ value, label: t(`kind.${value}`) }))}
          {...field("collect.kinds" as never)}
        />
        <h4 className="caps">{t("settings.limits")}</h4>
        <div className={classes.pair}>
          {limits.map(([name, most]) => number(`collect.limits.${name}`, t(`settings.${name}`), [1, most]))}
        </div>
      </Part>
      <Part title={t("settings.forbidden")}>
        <HostsField field={field} form={form} />
        <TagsInput
          label={t("settings.countries")}
          description={t("settings.countriesHelp")}
          maxLength={2}
          splitChars={[",", " "]}
          {...field("countries")}
        />
      </Part>
      <Part title={t("settings.record")} text={t("settings.recordText")}>
        <div className={classes.pair}>
          {number("record.hours", t("settings.hours"), [0, 168], t("settings.hoursHelp"))}
          {number("record.mb", t("settings.mb"), [1, 1024])}
        </div>
      </Part>
      <Part title={t("settings.automatic")} text={t("settings.automaticText")}>
        <div className={classes.pair}>
          {automaticSteps.map((step) => (
            <MultiSelect
              key={step}
              label={t("settings.when", { step: t(`case.step.${step}`) })}
              placeholder={form.getValues().automatic[step].length === 0 ? t("settings.nothing") : undefined}
              data={actKinds.map((value) => ({ value, label: t(`act.${value}.verb`) }))}
              {...field(`automatic.${step}` as never)}
            />
          ))}
        </div>
        <div className={classes.pair}>{number("automatic.minutes", t("settings.minutes"), [5, 10_080])}</div>
      </Part>
      <ScoringFields number={number} />
    </>
  );
}

function Part({ title, text, children }: { title: string; text?: string; children: ReactNode }) {
  return (
    <section className={classes.settingsPart} aria-label={title}>
      <h3 className={classes.partTitle}>{title}</h3>
      {text !== undefined && <p className="soft">{text}</p>}
      {children}
    </section>
  );
}

/** Names, one in each line. */
function HostsField({ field, form }: Pick<Drawn, "field" | "form">) {
  const { t } = useTranslation("abuse");
  const { value, onChange: _, ...rest } = field("hosts") as { value: string[]; onChange: unknown };
  return (
    <Textarea
      label={t("settings.hosts")}
      description={t("settings.hostsHelp")}
      placeholder={"phishing.example\nmalware.example.net"}
      autosize
      minRows={3}
      maxRows={12}
      spellCheck={false}
      {...rest}
      value={value.join("\n")}
      onChange={(event) => form.setFieldValue("hosts", linesOf(event.currentTarget.value) as never)}
    />
  );
}

/** Lines as they are typed; an empty one at the end stays until something stands in it. */
const linesOf = (text: string) => (text === "" ? [] : text.split("\n").map((line) => line.trim()));
