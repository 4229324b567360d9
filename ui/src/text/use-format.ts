import i18next from "i18next";
import { useMemo, useSyncExternalStore } from "react";
import { serverNow } from "@/api/server-clock";
import * as format from "./format";

/** The language of the page. A table asks for it in each cell: the kit's own hook for words costs ten times as much. */
export function useLanguage(): format.Language {
  return useSyncExternalStore(onLanguage, currentLanguage);
}

function onLanguage(listener: () => void): () => void {
  i18next.on("languageChanged", listener);
  return () => i18next.off("languageChanged", listener);
}

function currentLanguage(): format.Language {
  return i18next.language === "ru" ? "ru" : "en";
}

/** Numbers, sizes and times in the language of the page. */
export function useFormat() {
  const language = useLanguage();
  return useMemo(
    () => ({
      number: (value: number, digits?: number) => format.formatNumber(value, language, digits),
      percent: (value: number) => format.formatPercent(value, language),
      bits: (value: number) => format.formatBits(value, language),
      commonBits: (largest: number) => format.commonBits(largest, language),
      bytes: (value: number) => format.formatBytes(value, language),
      span: (seconds: number) => format.formatSpan(seconds, language),
      uptime: (seconds: number) => format.formatUptime(seconds, language),
      date: (iso: string) => format.formatDate(iso, language),
      clock: (iso: string | number, seconds?: boolean) => format.formatClock(iso, language, seconds),
      day: (iso: string) => format.formatDay(iso, language, new Date(serverNow())),
      moment: (iso: string) => format.formatMoment(iso, language),
      fullMoment: (iso: string) => format.formatFullMoment(iso, language),
    }),
    [language],
  );
}
