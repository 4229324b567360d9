import { queryOptions, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { answer, api } from "@/api/client";
import { everyPage } from "@/components/table/every-page";
import type { Block } from "../drawing/drawing";

/** What drawings take from connections with proxy panels: their names, and the squads there. */

const panelsQuery = queryOptions({
  queryKey: ["proxypanel", "names"],
  queryFn: ({ signal }) =>
    everyPage((cursor) =>
      answer(
        api.GET("/api/v1/proxypanel/connections", {
          params: { query: { limit: 200, sort: "label", ...(cursor && { cursor }) } },
          signal,
        }),
      ),
    ),
});

/** All connections by their names, where they are asked for; undefined while nobody knows, or may know. */
export function useProxyPanels(wanted: boolean) {
  return useQuery({ ...panelsQuery, enabled: wanted }).data;
}

const squadsQuery = (id: string) =>
  queryOptions({
    queryKey: ["proxypanel", "squads", id],
    queryFn: ({ signal }) =>
      everyPage((cursor) =>
        answer(
          api.GET("/api/v1/proxypanel/connections/{id}/squads", {
            params: { path: { id }, query: { limit: 200, ...(cursor && { cursor }) } },
            signal,
          }),
        ),
      ),
  });

/** The squads of a proxy panel that are there. */
export function useSquads(connectionId: string) {
  return useQuery(squadsQuery(connectionId)).data?.filter(({ gone_at }) => !gone_at);
}

/** "Served by Europe": who else than our own agent serves an entry. Empty where our agent does. */
export function useServedBy(block: Block): string {
  const { t } = useTranslation("flows");
  const id = block.params?.proxypanel?.connection_id;
  const panels = useProxyPanels(id !== undefined);
  if (id === undefined) return "";
  return t("served.by", { name: panels?.find((panel) => panel.id === id)?.label ?? t("served.somePanel") });
}
