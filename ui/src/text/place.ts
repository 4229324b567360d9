import type { Language } from "./format";

const names = new Map<Language, Intl.DisplayNames>();

/** The name of a country in the language of the page; a code that nobody knows stays as it is. */
export function countryName(code: string, language: Language): string {
  const known = names.get(language) ?? new Intl.DisplayNames([language], { type: "region", fallback: "code" });
  names.set(language, known);
  try {
    return known.of(code) ?? code;
  } catch {
    return code;
  }
}

/** A network by its number, as registries write it. */
export const asnText = (asn: number): string => `AS${asn}`;

interface Place {
  country: string;
  asn: number;
  network: string;
}

/** Where an address is and in whose network, as far as databases of places know it. */
export function placeText({ country, asn, network }: Place, language: Language): string {
  const whose = [asn > 0 && asnText(asn), network].filter(Boolean).join(" ");
  return [country && countryName(country, language), whose].filter(Boolean).join(", ");
}
