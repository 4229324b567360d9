import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { serverNow } from "@/api/server-clock";
import * as format from "./format";

export function useLanguage(): format.Language {
  return useTranslation("app").i18n.language === "ru" ? "ru" : "en";
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
