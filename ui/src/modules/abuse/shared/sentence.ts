import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import type { Language } from "@/text/format";
import { useFormat, useLanguage } from "@/text/use-format";
import { asnText, countryName } from "./places";

/** Something that the panel says: by its code in the language of the page, else in English. */
export interface Sentence {
  code: string;
  args: Record<string, unknown>;
  text: string;
}

/** Which of its values a sentence counts. */
const counted: Record<string, string> = {
  at_once_usual: "sources",
  at_once_many: "sources",
  countries_at_once: "times",
  times_usual: "times",
  moves: "moves",
  networks: "networks",
  networks_nat: "networks",
  devices: "devices",
  devices_above: "devices",
  signals_many: "kinds",
  signal: "count",
  too_fast: "minutes",
};

type Format = ReturnType<typeof useFormat>;

/** Says sentences of the panel. One whose code is new to this page stays as the panel has said it. */
export function useSentence(): (sentence: Sentence) => string {
  const { t, i18n } = useTranslation("abuse");
  const format = useFormat();
  const language = useLanguage();
  return (sentence) => {
    const key = `say.${sentence.code}`;
    const count = Number(sentence.args[counted[sentence.code] ?? ""] ?? 0);
    if (!i18n.exists(key, { ns: "abuse", count })) return sentence.text;
    return t(key, { ...shown(sentence, t, format, language), count, shownCount: format.number(count) });
  };
}

/** Values as people read them: countries and kinds by name, numbers with separators. */
function shown({ code, args }: Sentence, t: TFunction<"abuse">, format: Format, language: Language) {
  const write = (name: string, value: unknown): unknown => {
    if (name === "country") return countryName(String(value), language);
    if (name === "kind") return t(code === "hosting" ? `networks.kind.${String(value)}` : `kind.${String(value)}`);
    if (name === "from" || name === "to") return placeName(String(value), language);
    return typeof value === "number" ? format.number(value) : value;
  };
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [name, write(name, value)]));
}

/** A city stays as it is; a country that stands alone has its name. */
function placeName(place: string, language: Language): string {
  const [city, country] = place.split(", ");
  return country ? `${city} (${country})` : countryName(place, language);
}

/** What can be told beside a finding: how far places lie apart, how long both were in use, or whose network it is. */
export function useAside(): (sentence: Sentence) => string {
  const { t } = useTranslation("abuse");
  const format = useFormat();
  return ({ args }) => {
    const { km, seconds, asn } = args as { km?: number; seconds?: number; asn?: number };
    if (km) return t("finding.apart", { km: format.number(km) });
    if (seconds) return t("finding.together", { span: format.uptime(seconds) });
    return asn ? asnText(asn) : "";
  };
}
