import { useTranslation } from "react-i18next";
import type { Rule } from "./api";

/** A rule in a sentence, with what people call it. */
export function useRuleText(): (rule: Rule) => string {
  const { t } = useTranslation("policies");
  return (rule) => {
    const words = t(`rule.${rule.type}`, { list: rule.values?.join(", ") || t("rule.any"), number: rule.number ?? 0 });
    return rule.name ? `${rule.name}: ${words}` : words;
  };
}
