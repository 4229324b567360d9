import type { Language } from "@/text/format";

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

/** What is reached for: a name or an address, with its port where one is known. */
export function destText({ host, ip, port }: { host: string; ip: string; port: number }): string {
  const where = host || ip;
  if (port === 0) return where;
  if (where === "") return `:${port}`;
  return where.includes(":") ? `[${where}]:${port}` : `${where}:${port}`;
}
