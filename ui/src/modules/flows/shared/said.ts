import { useTranslation } from "react-i18next";
import { sentence } from "@/text/sentence";
import type { PanelText } from "./api";

/** Codes of failures whose sentence is what the agent or the core said; it is quoted after our own words. */
const quoting = new Set([
  "core_refused",
  "start_failed",
  "port_in_use",
  "unreachable",
  "config_unavailable",
  "not_prepared",
  "not_supported",
  "bad_args",
  "failed",
]);

/** A sentence of the panel in the language of the page: a code without words of ours keeps the panel's. */
export function useSaid(): (said: PanelText | undefined) => string {
  const { t, i18n } = useTranslation("flows");
  return (said) => {
    if (!said) return "";
    // A key that ends in "_other" would be a plural form.
    const key = `said.${said.code.replace(/_other$/, "_else")}`;
    if (said.code === "" || !i18n.exists(key, { ns: "flows" })) return begun(said.text, said);
    const words = t(key, { ...said.params, context: said.params?.name_matches });
    const quote = quoting.has(said.code) && (said.params?.reason ?? said.text);
    return begun(quote ? `${words}: ${quote}` : words, said);
  };
}

/** A sentence that begins with a name leaves the name as it is. */
function begun(words: string, { params }: PanelText): string {
  const named = Object.values(params ?? {}).some((value) => value !== "" && words.startsWith(value));
  return named ? words : sentence(words);
}
