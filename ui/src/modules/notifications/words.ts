import i18next from "i18next";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { GlyphKind } from "@/components/status/glyph";
import { useLanguage } from "@/text/use-format";
import { channelsQuery, eventsQuery, messenger, type DeliveryState, type EventKind, type Severity } from "./api";

export const stateGlyphs: Record<DeliveryState, GlyphKind> = {
  queued: "waiting",
  sending: "applying",
  sent: "healthy",
  failed: "down",
  folded: "skipped",
  superseded: "skipped",
  cancelled: "skipped",
};

export const severityGlyphs: Record<Severity, GlyphKind> = {
  info: "waiting",
  warning: "degraded",
  critical: "down",
};

export const severities: readonly Severity[] = ["info", "warning", "critical"];
export const states = Object.keys(stateGlyphs) as DeliveryState[];

/** Events in the words of the panel's modules: a kind, a family as `node.*`, or `*` for all. */
export function useEventWords(events: readonly EventKind[] = []) {
  const { t } = useTranslation("notifications");
  const language = useLanguage();
  const familyWords = (family: string) => {
    const noun = family.replace(/\.\*$/, "");
    const key = `family.${noun}`;
    return i18next.exists(key, { ns: "notifications" }) ? t(key as "family.node") : t("family.other", { name: noun });
  };
  const eventWords = (event: string): string => {
    if (event === "*") return t("rules.everything");
    if (event === "notification.test") return t("test.kind");
    const known = events.find(({ kind }) => kind === event);
    if (known) return known[language].summary || known.en.summary || event;
    if (event.endsWith(".*")) return t("rules.family", { family: familyWords(event) });
    const key = [`event.${event}`, `action.${event}`].find((word) => i18next.exists(word, { ns: "words" }));
    return key ? i18next.t(key, { ns: "words" }) : event;
  };
  return { eventWords, familyWords };
}

/** The same with the kinds of this panel. */
export function useKnownEventWords() {
  return useEventWords(useQuery(eventsQuery).data);
}

/** The channels to choose from, the messenger first, by their names for people. */
export function useChannelNames(): { value: string; label: string }[] {
  const { t } = useTranslation("notifications");
  const channels = useQuery(channelsQuery).data ?? [];
  return [
    { value: messenger, label: t("kind.messenger") },
    ...channels.map(({ id, name }) => ({ value: id, label: name })),
  ];
}
