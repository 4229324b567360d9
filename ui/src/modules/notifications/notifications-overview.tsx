import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { AttentionItem, Start } from "@/module";
import { channelsQuery, lastDeliveryQuery, messenger, type LastDelivery } from "./api";

const ahead = ({ queries }: Start) =>
  Promise.all([queries.prefetchQuery(channelsQuery), queries.prefetchQuery(lastDeliveryQuery(messenger))]);

/** Channels whose newest message was given up: who waits for a notice there waits in vain. */
function useAttention(): AttentionItem[] {
  const { t } = useTranslation("notifications");
  const channels = useQuery(channelsQuery).data ?? [];
  const told = useQuery(lastDeliveryQuery(messenger)).data;
  const line = (id: string, name: string, last: LastDelivery | null | undefined): AttentionItem[] =>
    last?.state !== "failed"
      ? []
      : [
          {
            id: `notifications-${id}`,
            severity: "warn",
            glyph: "failed",
            name,
            what: t("attention.failed"),
            since: last.finished_at ?? last.created_at,
            act: { label: t("attention.open"), path: "/notifications/deliveries", search: { state: "failed" } },
          },
        ];
  return [
    ...line(messenger, t("attention.messenger"), told),
    ...channels.filter(({ enabled }) => enabled).flatMap(({ id, name, last_delivery: last }) => line(id, name, last)),
  ];
}

export default { ahead, useAttention };
