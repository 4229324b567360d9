import { useTranslation } from "react-i18next";
import { sentence } from "@/text/sentence";
import type { Drawing } from "../../drawing/drawing";
import { fieldName, valueAt, type Finding, type Problem } from "./problems";

type Worded = Finding & Partial<Pick<Problem, "severity">>;

// What the check of a request's form says ("expected number <= 65535") is no sentence for people.
const isFormal = (message: string) => /^expected /i.test(message);

/** A finding in the language of the page. The panel's own sentence is English and the most exact one there. */
export function useProblemText(): (finding: Worded) => string {
  const { t, i18n } = useTranslation("flows");
  return (finding) => {
    if (i18n.language === "en" && !isFormal(finding.message)) return sentence(finding.message);
    const { node = "", core = "", policy = "" } = finding;
    const rule = finding.rule_name ?? (finding.rule ? t(`policyRule.${finding.rule as "presets"}`) : "");
    const values = { node, core, policy, rule };
    const known = wordKeys(finding).find((key) =>
      i18n.exists(key, { ns: "flows", lng: i18n.language, fallbackLng: [] }),
    );
    return known ? t(known, values) : sentence(finding.message);
  };
}

// What people type as it is; choices and ids have names of their own in the sentences.
const typed = new Set(
  "port port_range listen_ip path service_name target server_names short_ids max_time_diff domain ip geosite geoip".split(
    " ",
  ),
);

/** A finding in words that name the value it is about, unless the sentence has it already. */
export function useNamedProblem(drawing: Drawing | undefined): (finding: Worded) => string {
  const { t } = useTranslation("flows");
  const words = useProblemText();
  return (finding) => {
    const text = words(finding);
    const value = drawing && typed.has(fieldName(finding.path)) ? valueAt(drawing, finding.path) : undefined;
    const named = (typeof value === "string" || typeof value === "number") && value !== "" && value !== 0;
    return named && !text.includes(String(value)) ? t("problems.ofValue", { value, text }) : text;
  };
}

/** Where the words of a finding may stand, the most exact first: what is only warned of needs no change. */
export function wordKeys({ code, path, severity }: Worded): string[] {
  const keys = [`finding.${code}_${fieldName(path)}`, `finding.${code}`];
  return severity === "warning" ? [`finding.${code}_warning`, ...keys] : keys;
}
