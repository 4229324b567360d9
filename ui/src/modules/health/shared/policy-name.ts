import type { TFunction } from "i18next";

/** What the policy of everything else is called as long as nobody gave it a name of its own. */
const given = "Everything";

export function policyName(t: TFunction<"health">, name: string): string {
  return name === given ? t("policy.default") : name;
}
