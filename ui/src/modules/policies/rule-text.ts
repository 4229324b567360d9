import { useTranslation } from "react-i18next";
import type { Rule } from "./api";

/** What people call a value of a rule; what has no name of its own, such as a category, stays as it is. */
export function useValueText(): (value: string) => string {
  const { t, i18n } = useTranslation("policies");
  return (value) =>
    /^\w+$/.test(value) && i18n.exists(`value.${value}`, { ns: "policies" }) ? t(`value.${value as "vless"}`) : value;
}

/** A rule in a sentence, with what people call it. */
export function useRuleText(): (rule: Rule) => string {
  const { t } = useTranslation("policies");
  const valueText = useValueText();
  return (rule) => {
    const list = rule.values?.map(valueText).join(", ") || t("rule.any");
    const words = t(`rule.${rule.type}`, { list, number: rule.number ?? 0 });
    return rule.name ? `${rule.name} — ${words}` : words;
  };
}
