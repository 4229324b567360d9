import { NumberInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Limits } from "./api";
import classes from "./clients.module.css";

interface LimitsFieldsProps {
  limits: Limits;
  onChange: (limits: Limits) => void;
  /** Ids of the two fields, by which problems lead to them. */
  ids?: { speed: string; addresses: string };
  errors?: { speed?: string | undefined; addresses?: string | undefined };
}

/** What clients may use of each node at once; an empty field is no limit. */
export function LimitsFields({ limits, onChange, ids, errors }: LimitsFieldsProps) {
  const { t } = useTranslation("clients");
  const field = (name: keyof Limits, most: number) => ({
    size: "md" as const,
    min: 1,
    max: most,
    clampBehavior: "strict" as const,
    allowDecimal: false,
    allowNegative: false,
    value: limits[name] ?? "",
    onChange: (value: number | string) => onChange({ ...limits, [name]: Number(value) || undefined }),
  });
  return (
    <div className={classes.limits}>
      <NumberInput
        {...field("speed_mbps", 100_000)}
        id={ids?.speed}
        label={t("limits.speed")}
        description={t("limits.speedHelp")}
        error={errors?.speed}
      />
      <NumberInput
        {...field("addresses", 1000)}
        id={ids?.addresses}
        label={t("limits.addresses")}
        description={t("limits.addressesHelp")}
        error={errors?.addresses}
      />
    </div>
  );
}
