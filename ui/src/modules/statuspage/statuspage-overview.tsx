import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { AttentionItem, Start } from "@/module";
import { overviewQuery } from "./api";

const ahead = ({ queries }: Start) => queries.prefetchQuery(overviewQuery);

/** What readers of the status pages see too late: places that could not be written, and notices that wait. */
function useAttention(): AttentionItem[] {
  const { t } = useTranslation("statuspage");
  const known = useQuery(overviewQuery).data;
  if (!known) return [];
  const line = (key: "failed" | "drafts", count: number, path: string): AttentionItem[] =>
    count === 0
      ? []
      : [
          {
            id: `statuspage-${key}`,
            severity: key === "failed" ? "warn" : "info",
            glyph: key === "failed" ? "failed" : "draft",
            name: t("attention.name"),
            what: t(`attention.${key}`, { count }),
            act: { label: t("attention.open"), path },
          },
        ];
  return [
    ...line("failed", known.targets_failed, "/status-page/publishing"),
    ...line("drafts", known.draft_notices, "/status-page/incidents"),
  ];
}

export default { ahead, useAttention };
