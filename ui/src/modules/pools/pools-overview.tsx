import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { AttentionItem, Start } from "@/module";
import { belowMinimumQuery } from "./api";

const ahead = ({ queries }: Start) => queries.prefetchQuery(belowMinimumQuery);

/** Pools whose traffic goes another way than people wanted, or nowhere, and those that are about to. */
function useAttention(): AttentionItem[] {
  const { t } = useTranslation("pools");
  const page = useQuery(belowMinimumQuery).data;
  if (!page) return [];
  const lines = page.items.map((pool): AttentionItem => {
    const lost = pool.on_fallback;
    return {
      id: `pool-${pool.id}`,
      severity: lost ? "crit" : "warn",
      glyph: lost ? "down" : "degraded",
      name: pool.name,
      what: t(lost ? `attention.${pool.fallback}` : "attention.belowMinimum"),
      effect: pool.flows > 0 ? t("attention.flows", { count: pool.flows }) : undefined,
      act: { label: t("attention.open"), path: `/pools/${pool.id}` },
    };
  });
  const more = (page.total ?? lines.length) - lines.length;
  if (more > 0)
    lines.push({
      id: "pools-more",
      severity: "warn",
      glyph: "degraded",
      name: t("attention.more", { count: more }),
      what: t("attention.belowMinimum"),
      count: more,
      act: { label: t("attention.open"), path: "/pools" },
    });
  return lines;
}

export default { ahead, useAttention };
