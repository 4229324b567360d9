import { Select, type SelectProps } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { findVersion, isEnabled, useCustomPlans, usePlanWay, usePoliciesOf, versionName } from "./custom-plans";

type PlanSelectProps = Omit<SelectProps, "value" | "onChange" | "data"> & {
  flowId: string;
  value: string | null;
  onChange: (value: string | null) => void;
};

/** A version of a custom plan; those that a policy of the flow enables come first. */
export function PlanSelect({ flowId, value, onChange, ...shared }: PlanSelectProps) {
  const { t } = useTranslation("flows");
  const plans = useCustomPlans(true);
  const policies = usePoliciesOf(flowId);
  const wayOf = usePlanWay();
  const all = (plans ?? []).flatMap((plan) => plan.versions.map((version) => ({ plan, version })));
  const option = (one: (typeof all)[number]) => ({
    value: one.version.id,
    label: `${versionName(one)} · ${wayOf(one.version.body)}`,
  });
  const enabled = policies ? all.filter(({ version }) => isEnabled(version, policies)) : all;
  const others = all.filter((one) => !enabled.includes(one));
  const groups = [
    { group: t("field.planEnabled"), items: enabled.map(option) },
    { group: t("field.planOthers"), items: others.map(option) },
  ].filter(({ items }) => items.length > 0);
  const chosen = findVersion(plans, value);
  const gone = value !== null && !chosen && [{ value, label: plans ? t("field.planGone") : "…" }];
  const closed = chosen !== undefined && others.some(({ version }) => version.id === value);
  return (
    <Select
      placeholder={t("field.choose")}
      description={plans?.length === 0 ? t("field.noPlans") : closed ? t("field.planNotEnabled") : undefined}
      searchable
      nothingFoundMessage={t("field.noPlan")}
      data={[...(gone || []), ...groups]}
      value={value}
      onChange={onChange}
      {...shared}
    />
  );
}
