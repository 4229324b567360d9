import type { Language } from "./format";

const collators: Record<Language, Intl.Collator> = {
  en: new Intl.Collator("en", { numeric: true }),
  ru: new Intl.Collator("ru", { numeric: true }),
};

/** The order of names in the language of the page, whatever the browser's own is; numbers in them count as numbers. */
export function compareNames(a: string, b: string, language: Language): number {
  return collators[language].compare(a, b);
}
