import { Select, TextInput } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { layers } from "../shared/check-mark";
import type { PolicyCheck } from "./api";
import { Numbers } from "./numbers";
import classes from "./policies.module.css";
import { errorUnder } from "./policy-form";
import { reported, usual } from "./policy-text";

interface CheckFieldsProps {
  checks: PolicyCheck[];
  wrong: Record<string, string>;
  onChange: (checks: PolicyCheck[]) => void;
}

/** Several of these may stand in one policy, each with an address of its own. */
const many = (type: PolicyCheck["type"]) => type === "http" || type === "dns";
const mostChecks = 16;

/** What is looked at. */
export function CheckFields({ checks, wrong, onChange }: CheckFieldsProps) {
  const { t } = useTranslation("health");
  const put = (at: number, check: PolicyCheck) => onChange(checks.map((one, i) => (i === at ? check : one)));
  const offered = layers.filter((type) => many(type) || !checks.some((check) => check.type === type));
  return (
    <fieldset className={classes.group}>
      <legend>{t("policy.checks")}</legend>
      {checks.map((check, at) => (
        <CheckRow
          key={`${check.type} ${at}`}
          check={check}
          error={(part) => errorUnder(wrong, `checks[${at}].${part}`)}
          onChange={(changed) => put(at, changed)}
          onRemove={checks.length > 1 ? () => onChange(checks.filter((_, i) => i !== at)) : undefined}
        />
      ))}
      {offered.length > 0 && checks.length < mostChecks && (
        <Select
          size="md"
          label={t("policy.addCheck")}
          placeholder={t("policy.chooseCheck")}
          data={offered.map((value) => ({ value, label: t(`checkLong.${value}`) }))}
          value={null}
          onChange={(type) => type && onChange([...checks, { type: type as PolicyCheck["type"] }])}
        />
      )}
    </fieldset>
  );
}

interface CheckRowProps {
  check: PolicyCheck;
  error: (part: string) => string | undefined;
  onChange: (check: PolicyCheck) => void;
  onRemove: (() => void) | undefined;
}

function CheckRow({ check, error, onChange, onRemove }: CheckRowProps) {
  const { t } = useTranslation("health");
  const { type } = check;
  const word = t(`checkLong.${type}`);
  const seconds = (name: "interval_s" | "timeout_s", usually: number, least: number, most: number) => (
    <Numbers
      label={t(`policy.${name}`)}
      least={least}
      most={most}
      value={check[name] ?? usually}
      error={error(name)}
      onChange={(value) => onChange({ ...check, [name]: value })}
    />
  );
  return (
    <div className={classes.rule} role="group" aria-label={word}>
      <div className={classes.ruleHead}>
        <span>
          {word} {reported(type) && <span className="dim">{t("policy.withHeartbeat")}</span>}
        </span>
        {onRemove && (
          <Action kind="ghost" size="bar" iconOnly icon={IconTrash} onClick={onRemove}>
            {t("policy.removeCheck", { check: word })}
          </Action>
        )}
      </div>
      {type === "http" && (
        <TextInput
          size="md"
          label={t("policy.url")}
          placeholder="https://"
          maxLength={500}
          value={check.page ?? ""}
          error={error("page")}
          onChange={(event) => onChange({ ...check, page: event.currentTarget.value })}
        />
      )}
      {type === "dns" && (
        <TextInput
          size="md"
          label={t("policy.dnsName")}
          placeholder="example.com"
          maxLength={253}
          value={check.name ?? ""}
          error={error("name")}
          onChange={(event) => onChange({ ...check, name: event.currentTarget.value })}
        />
      )}
      {!reported(type) && (
        <div className={classes.pair}>
          {seconds("interval_s", usual.interval, 10, 3_600)}
          {seconds("timeout_s", usual.timeout, 1, 30)}
        </div>
      )}
    </div>
  );
}
