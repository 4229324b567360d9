import { useQueries, useQuery } from "@tanstack/react-query";
import { everyPage } from "@/components/table/every-page";
import { answer, api } from "@/api/client";
import { connectionsQuery, type Connection } from "../api";
import { mappingQuery, type MappedNode, type PanelHost, type PanelInbound, type PanelNode } from "../panel/api";

/** A node of a proxy panel that was adopted, with what is counted there. */
export interface Serving {
  connection: Connection;
  mapped: MappedNode & { mapping: NonNullable<MappedNode["mapping"]> };
  /** As it was last read; missing while that is not known. */
  node: PanelNode | undefined;
}

const pace = 30_000;
const most = 200;

const objectsQuery = <Row>(kind: "nodes" | "inbounds" | "hosts", id: string) => ({
  queryKey: ["proxypanel", "all", kind, id],
  queryFn: ({ signal }: { signal: AbortSignal }): Promise<Row[]> =>
    everyPage<Row>(async (cursor) => {
      const params = { path: { id }, query: { limit: most, ...(cursor && { cursor }) } };
      return (await answer(api.GET(`/api/v1/proxypanel/connections/{id}/${kind}`, { params, signal }))) as never;
    }),
  refetchInterval: pace,
});

interface Known<Value> {
  data: Value | undefined;
  error: unknown;
  retry: () => void;
}

/** The adopted nodes of all proxy panels that `matches` chooses. */
export function useServing(matches: (mapping: NonNullable<MappedNode["mapping"]>) => boolean): Known<Serving[]> {
  const list = useQuery(connectionsQuery);
  const connections = list.data ?? [];
  const mappings = useQueries({ queries: connections.map(({ id }) => mappingQuery(id)) });
  const nodes = useQueries({ queries: connections.map(({ id }) => objectsQuery<PanelNode>("nodes", id)) });
  const failed = [list, ...mappings, ...nodes].find(({ error }) => error !== null);
  const loading = list.isPending || mappings.some(({ isPending }) => isPending);
  const found = connections.flatMap((connection, at) =>
    (mappings[at]?.data ?? []).flatMap((mapped): Serving[] => {
      const { mapping } = mapped;
      if (mapping === null || !matches(mapping)) return [];
      const node = nodes[at]?.data?.find(({ id }) => id === mapped.panel_node_id);
      return [{ connection, mapped: { ...mapped, mapping }, node }];
    }),
  );
  return {
    data: loading ? undefined : found,
    error: failed?.error ?? null,
    retry: () => void failed?.refetch(),
  };
}

/** The hosts that users are shown of a flow, by what they lead to. */
export function useHostsOf(flowId: string, connectionIds: string[]): { connectionId: string; host: PanelHost }[] {
  const inbounds = useQueries({ queries: connectionIds.map((id) => objectsQuery<PanelInbound>("inbounds", id)) });
  const hosts = useQueries({ queries: connectionIds.map((id) => objectsQuery<PanelHost>("hosts", id)) });
  return connectionIds.flatMap((connectionId, at) => {
    const own = new Set(
      (inbounds[at]?.data ?? []).filter(({ name }) => name.startsWith(`flow.${flowId}.`)).map(({ id }) => id),
    );
    return (hosts[at]?.data ?? [])
      .filter(({ inbound_id: inbound }) => inbound !== null && own.has(inbound))
      .map((host) => ({ connectionId, host }));
  });
}
