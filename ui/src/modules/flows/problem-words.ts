import { useTranslation } from "react-i18next";
import { fieldName, type Finding } from "./problems";

/** A finding in the language of the page. The panel's own sentence is English and the most exact one there. */
export function useProblemText(): (finding: Finding) => string {
  const { t, i18n } = useTranslation("flows");
  return (finding) => {
    if (i18n.language === "en") return sentence(finding.message);
    const values = { node: finding.node ?? "", core: finding.core ?? "" };
    const keys = [`finding.${finding.code}_${fieldName(finding.path)}`, `finding.${finding.code}`];
    const known = keys.find((key) => i18n.exists(key, { ns: "flows", lng: "ru", fallbackLng: [] }));
    return known ? t(known, values) : sentence(finding.message);
  };
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
