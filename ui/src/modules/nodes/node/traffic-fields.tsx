import { NumberInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import classes from "./node.module.css";
import type { NodeChange } from "../shared/api";

const gigabyte = 1_073_741_824;

type Traffic = Required<NodeChange>["traffic"];

/** What the hoster of a node allows it to carry in a month. Nothing or zero is no limit. */
export function TrafficFields({
  traffic,
  onChange,
  disabled,
  errors,
}: {
  traffic: Traffic;
  onChange: (traffic: Traffic) => void;
  disabled: boolean;
  errors: Record<string, string | undefined>;
}) {
  const { t } = useTranslation("nodes");
  const whole = { allowDecimal: false, allowNegative: false, clampBehavior: "blur", disabled } as const;
  return (
    <fieldset className={classes.addresses}>
      <legend>{t("traffic.limits")}</legend>
      <p className="dim">{t("traffic.limitsHelp")}</p>
      <div className={classes.pair}>
        <NumberInput
          label={t("traffic.limit")}
          min={0}
          max={900_000_000}
          allowNegative={false}
          decimalScale={3}
          thousandSeparator=" "
          disabled={disabled}
          error={errors["traffic.limit_bytes"]}
          value={traffic.limit_bytes === 0 ? "" : traffic.limit_bytes / gigabyte}
          onChange={(value) => onChange({ ...traffic, limit_bytes: Math.round(Number(value) * gigabyte) })}
        />
        <NumberInput
          {...whole}
          label={t("traffic.resetDay")}
          min={1}
          max={31}
          error={errors["traffic.reset_day"]}
          value={traffic.reset_day}
          onChange={(value) => onChange({ ...traffic, reset_day: Number(value) || 1 })}
        />
        <NumberInput
          {...whole}
          label={t("traffic.notify")}
          min={1}
          max={100}
          error={errors["traffic.notify_pct"]}
          value={traffic.notify_pct}
          onChange={(value) => onChange({ ...traffic, notify_pct: Number(value) || 1 })}
        />
      </div>
    </fieldset>
  );
}
