import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { AttentionItem, Start } from "@/module";
import { assetsQuery } from "./api";
import { reasonOf } from "./trouble";

const ahead = ({ queries }: Start) => queries.prefetchQuery(assetsQuery);

/** Files whose newest version was not taken: nodes keep the one before, which grows old. */
function useAttention(): AttentionItem[] {
  const { t } = useTranslation("geo");
  const assets = useQuery(assetsQuery).data ?? [];
  return assets
    .filter(({ state }) => state === "failed" || state === "rejected")
    .map((asset) => ({
      id: `geo-${asset.id}`,
      severity: "warn",
      glyph: asset.state === "failed" ? "failed" : "drifted",
      name: asset.name,
      what: t(`reason.${reasonOf(asset.reject_reason)}.short`),
      effect: asset.version === null ? undefined : t("stays"),
      since: asset.fetched_at ?? undefined,
      act: { label: t("attention.open"), path: `/geo/${asset.id}` },
    }));
}

export default { ahead, useAttention };
