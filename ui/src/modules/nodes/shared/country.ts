import type { Language } from "@/text/format";
import { countryName } from "@/text/place";

/** The countries for a field where one is chosen. */
export function countryOptions(language: Language): { value: string; label: string }[] {
  return countries(language).map(({ code, name }) => ({ value: code, label: `${name} (${code})` }));
}

const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];

/** Every code of two letters that has a name of a country, by name. */
export function countries(language: Language): { code: string; name: string }[] {
  const codes = letters.flatMap((first) => letters.map((second) => first + second));
  return codes
    .filter((code) => !notCountries.has(code))
    .map((code) => ({ code, name: countryName(code, language) }))
    .filter(({ code, name }) => name !== code)
    .sort((a, b) => a.name.localeCompare(b.name, language));
}

/** Codes that have a name and are no country of today: unions, the unknown, and countries that are gone. */
const notCountries = new Set(
  "AC AN BU CP CQ CS DD DG DY EA EU EZ FX HV IC NH NT QO RH SU TA TP UK UN VD XA XB XK YD YU ZR ZZ XX".split(" "),
);
