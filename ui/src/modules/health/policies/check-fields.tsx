import { Select, TextInput } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { layers } from "../shared/check-mark";
import type { PolicyCheck } from "./api";
import { Numbers } from "./numbers";
import classes from "./policies.module.css";
import { errorUnder } from "./policy-form";
import { reported, untimed, usual, usualInterval } from "./policy-text";

interface CheckFieldsProps {
  checks: PolicyCheck[];
  wrong: Record<string, string>;
  onChange: (checks: PolicyCheck[]) => void;
}

/** Several of these may stand in one policy, each about something else. */
const many = (type: PolicyCheck["type"]) => type === "http" || type === "dns" || type === "metric";
const metrics = ["cpu", "memory", "disk"] as const;
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
          onChange={(type) => type && onChange([...checks, begun(type as PolicyCheck["type"], checks)])}
        />
      )}
    </fieldset>
  );
}

/** A new check; a metric is the first that no other check is about. */
function begun(type: PolicyCheck["type"], checks: PolicyCheck[]): PolicyCheck {
  const free = metrics.find((metric) => !checks.some((check) => check.metric === metric));
  return type === "metric" ? { type, metric: free ?? "cpu" } : { type };
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
      {type === "metric" && (
        <div className={classes.pair}>
          <Select
            size="md"
            label={t("policy.metric")}
            allowDeselect={false}
            data={metrics.map((value) => ({ value, label: t(`metric.${value}`) }))}
            value={check.metric ?? null}
            error={error("metric")}
            onChange={(metric) => metric && onChange({ ...check, metric: metric as (typeof metrics)[number] })}
          />
          <Numbers
            label={t("policy.above")}
            least={1}
            most={100}
            value={check.above ?? usual.above}
            error={error("above")}
            onChange={(above) => onChange({ ...check, above })}
          />
        </div>
      )}
      {type === "cert_expiry" && (
        <Numbers
          label={t("policy.days")}
          least={1}
          most={90}
          value={check.days ?? usual.days}
          error={error("days")}
          onChange={(days) => onChange({ ...check, days })}
        />
      )}
      {!reported(type) && (
        <div className={classes.pair}>
          {seconds("interval_s", usualInterval(type), type === "tunnel" ? 30 : 10, 3_600)}
          {!untimed(type) && seconds("timeout_s", usual.timeout, 1, 30)}
        </div>
      )}
    </div>
  );
}
