import { NumberInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import classes from "../abuse.module.css";
import { usualLimits, type Limits } from "./acts";

/** How much a limited client is left; a field that is emptied takes what is usual. */
export function LimitsField({ value, onChange }: { value: Limits; onChange: (to: Limits) => void }) {
  const { t } = useTranslation("abuse");
  const field = (key: keyof Limits, label: string, most: number) => (
    <NumberInput
      size="md"
      label={label}
      min={1}
      max={most}
      allowDecimal={false}
      clampBehavior="strict"
      value={value[key]}
      onChange={(to) => onChange({ ...value, [key]: Number(to) || usualLimits[key] })}
    />
  );
  return (
    <div className={classes.pair}>
      {field("speed_mbps", t("act.speed"), 100_000)}
      {field("addresses", t("act.addresses"), 1_000)}
    </div>
  );
}
