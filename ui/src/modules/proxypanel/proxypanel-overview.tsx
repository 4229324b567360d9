import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { AttentionItem, Start } from "@/module";
import { connectionsQuery } from "./api";
import { glyphs } from "./causes";

const ahead = ({ queries }: Start) => queries.prefetchQuery(connectionsQuery);

/** Connections with proxy panels that cannot be used, or not fully. */
function useAttention(): AttentionItem[] {
  const { t } = useTranslation("proxypanel");
  const connections = useQuery(connectionsQuery).data ?? [];
  return connections
    .filter(({ state }) => state !== "ok" && state !== "unchecked")
    .map(({ id, label, state, last_ok_at: since }) => ({
      id: `proxypanel-${id}`,
      severity: state === "degraded" ? "warn" : "crit",
      glyph: glyphs[state],
      name: label,
      what: t(`state.${state}`),
      effect: state === "degraded" ? undefined : t("attention.effect"),
      since: state === "degraded" ? undefined : (since ?? undefined),
      act: { label: t("attention.open"), path: `/proxypanel/${id}` },
    }));
}

export default { ahead, useAttention };
