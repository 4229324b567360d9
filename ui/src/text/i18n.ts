import i18next, { type BackendModule } from "i18next";
import { initReactI18next } from "react-i18next";
import type { Language } from "./format";
import { merged, type Words } from "./words";

const files = {
  ...import.meta.glob<Record<string, unknown>>("../app/messages.*.json", { import: "default" }),
  ...import.meta.glob<Record<string, unknown>>("../modules/*/messages.*.json", { import: "default" }),
};

// They are joined here: what both languages used would become a file of its own, put together with parts of pages.
const shared: Record<string, () => Promise<{ default: Record<string, Words> }>> = {
  en: () => import("./words.en"),
  ru: () => import("./words.ru"),
};

/**
 * Messages are loaded per module and language, when the module's first page opens: the namespace is the folder's name.
 * The namespace `words` holds what all modules say about themselves to the screens of others.
 */
const bundled: BackendModule = {
  type: "backend",
  init: () => undefined,
  read: (language, namespace, done) => {
    if (namespace === "words") {
      shared[language]?.().then(
        (words) => done(null, merged(words.default)),
        (error: Error) => done(error, false),
      );
      return;
    }
    const file =
      namespace === "app" ? `../app/messages.${language}.json` : `../modules/${namespace}/messages.${language}.json`;
    const load = files[file];
    if (!load) return done(null, {});
    load().then(
      (words) => done(null, words),
      (error: Error) => done(error, false),
    );
  },
};

const storageKey = "panel-language";

export function chosenLanguage(): Language {
  return document.documentElement.lang === "ru" ? "ru" : "en";
}

/** Loads the words of the product, and those of the modules whose page is opened first. */
export async function startI18n(language: Language = chosenLanguage(), modules: string[] = []): Promise<void> {
  await i18next
    .use(bundled)
    .use(initReactI18next)
    .init({
      lng: language,
      initAsync: false,
      fallbackLng: "en",
      supportedLngs: ["en", "ru"],
      ns: ["app", ...modules],
      defaultNS: "app",
      interpolation: { escapeValue: false },
      react: { useSuspense: true },
    });
}

/** Any page may be refused by any module: their sentences come beside the first page, which does not wait for them. */
export function loadSharedWords(): void {
  void i18next.loadNamespaces("words");
}

export async function changeLanguage(language: Language): Promise<void> {
  localStorage.setItem(storageKey, language);
  document.documentElement.lang = language;
  await i18next.changeLanguage(language);
}
