import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
  type QueryClient,
} from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { components } from "@/api/schema.gen";
import { everyPage } from "@/components/table/every-page";
import type { Enrollment, Metric, Node, NodeDetail, NodeDomain, NodeState, Operation, Page, Series } from "./types";

export type NodeRole = "entry" | "transit" | "exit" | "edge";

export interface NodeFilter {
  state?: NodeState | "attention";
  tag?: string;
  role?: NodeRole;
  country?: string;
  q?: string;
  sort?: string;
}

const pageSize = 50;

export function listNodes(
  query: NodeFilter & { limit: number; cursor?: string },
  signal?: AbortSignal,
): Promise<Page<Node>> {
  return answer(api.GET("/api/v1/nodes", { params: { query }, signal }));
}

export const nodesQuery = (filter: NodeFilter) =>
  infiniteQueryOptions({
    queryKey: ["nodes", "list", filter],
    queryFn: ({ pageParam, signal }) =>
      listNodes({ ...filter, limit: pageSize, ...(pageParam ? { cursor: pageParam } : {}) }, signal),
    initialPageParam: "",
    getNextPageParam: (page: Page<Node>) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  });

const largestPage = 200;

/** All nodes that match, read to the end: for a file, and for choosing everything. */
export function everyNode(queries: QueryClient, filter: NodeFilter): Promise<Node[]> {
  const { sort = "name", ...rest } = filter;
  return queries.fetchQuery({
    queryKey: ["nodes", "every", filter],
    queryFn: ({ signal }) =>
      everyPage((cursor) => listNodes({ ...rest, sort, limit: largestPage, ...(cursor ? { cursor } : {}) }, signal)),
    staleTime: 0,
    gcTime: 0,
  });
}

export const nodeQuery = (id: string) =>
  queryOptions({
    queryKey: ["nodes", "one", id],
    queryFn: ({ signal }): Promise<NodeDetail> =>
      answer(api.GET("/api/v1/nodes/{id}", { params: { path: { id } }, signal })),
  });

/** The node with what its listeners carry, which comes by no event; agents measure at this pace. */
export const measuredNodeQuery = (id: string) => queryOptions({ ...nodeQuery(id), refetchInterval: 15_000 });

export const metricQuery = (id: string, metric: Metric, from: string, to: string) =>
  queryOptions({
    queryKey: ["nodes", "metrics", id, metric, from, to],
    queryFn: ({ signal }): Promise<Series> =>
      answer(api.GET("/api/v1/nodes/{id}/metrics", { params: { path: { id }, query: { metric, from, to } }, signal })),
    placeholderData: keepPreviousData,
  });

export async function countNodes(): Promise<number> {
  return (await listNodes({ limit: 1 })).total;
}

export type NewNode = components["schemas"]["NodesCreateBody"];

export function useCreateNode() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: NewNode): Promise<NodeDetail> => answer(api.POST("/api/v1/nodes", { body })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["nodes"] }),
  });
}

export type NodeIp = components["schemas"]["NodesNodeIP"];

export interface NodeChange {
  name?: string;
  address?: string;
  city?: string;
  country_code?: string;
  region?: string;
  tags?: string[];
  roles?: NodeRole[];
  ips?: NodeIp[];
  note?: string;
  disabled?: boolean;
  provider_id?: string;
  provider_server_ref?: string;
  traffic?: { limit_bytes: number; reset_day: number; notify_pct: number };
}

export function useChangeNode(id: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: NodeChange & { revision: number }): Promise<NodeDetail> =>
      answer(api.PATCH("/api/v1/nodes/{id}", { params: { path: { id } }, body })),
    onSettled: () => queries.invalidateQueries({ queryKey: ["nodes"] }),
  });
}

/** Gives a one-off command that binds an agent to a node. The token in it is shown this once. */
export function useBindAgent() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (id: string): Promise<Enrollment> => {
      const binding = await answer(
        api.POST("/api/v1/nodes/{id}/agent-binding", { params: { path: { id } }, body: { action: "bind" } }),
      );
      return binding.enrollment;
    },
    gcTime: 0,
    onSuccess: (_, id) => queries.invalidateQueries({ queryKey: ["nodes", "one", id] }),
  });
}

export function useRevokeAgent(id: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (): Promise<unknown> =>
      answer(api.POST("/api/v1/nodes/{id}/agent-binding", { params: { path: { id } }, body: { action: "revoke" } })),
    onSettled: () => queries.invalidateQueries({ queryKey: ["nodes"] }),
  });
}

export function useRotateToken() {
  return useMutation({
    mutationFn: (id: string): Promise<Operation> =>
      answer(api.POST("/api/v1/nodes/{id}/rotate-token", { params: { path: { id } } })),
  });
}

export function useFetchLogs(id: string) {
  return useMutation({
    mutationFn: (): Promise<Operation> =>
      answer(api.POST("/api/v1/nodes/{id}/logs", { params: { path: { id } }, body: { lines: 200 } })),
  });
}

export type BulkRequest = Omit<components["schemas"]["NodesBulkBody"], "ids">;
export type BulkAct = BulkRequest["act"];
export type BulkResult = components["schemas"]["NodesBulkResult"];

const bulkCap = 200;

/** Does one thing to many nodes; each has its own outcome. */
export function useBulk() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({ ids, ...request }: BulkRequest & { ids: string[] }): Promise<BulkResult[]> => {
      const results: BulkResult[] = [];
      for (let at = 0; at < ids.length; at += bulkCap) {
        results.push(
          ...(await answer(api.POST("/api/v1/nodes/bulk", { body: { ids: ids.slice(at, at + bulkCap), ...request } })))
            .results,
        );
      }
      return results;
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ["nodes"] }),
  });
}

const running = new Set<Operation["state"]>(["queued", "running"]);

/** Follows work on a node until it ends. */
export const operationQuery = (nodeId: string, operationId: string | undefined) =>
  queryOptions({
    queryKey: ["nodes", "operation", nodeId, operationId],
    enabled: operationId !== undefined,
    queryFn: ({ signal }): Promise<Operation> =>
      answer(
        api.GET("/api/v1/nodes/{id}/operations/{operation_id}", {
          params: { path: { id: nodeId, operation_id: operationId! } },
          signal,
        }),
      ),
    refetchInterval: (query) => (query.state.data && !running.has(query.state.data.state) ? false : 1000),
  });

export type NodeFlow = components["schemas"]["FlowsFlow"];

/** The name of a flow that runs on a node. */
export const nodeFlowQuery = (id: string) =>
  queryOptions({
    queryKey: ["flows", "name", id],
    queryFn: ({ signal }): Promise<NodeFlow> =>
      answer(api.GET("/api/v1/connection-units/{id}", { params: { path: { id } }, signal })),
    retry: false,
  });

export const domainsQuery = (nodeId: string) =>
  queryOptions({
    queryKey: ["nodes", "domains", nodeId],
    queryFn: ({ signal }): Promise<Page<NodeDomain>> =>
      answer(api.GET("/api/v1/node-domains", { params: { query: { node_id: nodeId, limit: 200 } }, signal })),
  });

export function useAddDomain(nodeId: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: {
      zone: string;
      label?: string;
      mode: NodeDomain["mode"];
      cdn_integration_id?: string;
    }): Promise<NodeDomain> => answer(api.POST("/api/v1/node-domains", { body: { node_id: nodeId, ...body } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["nodes", "domains", nodeId] }),
  });
}

export function useRemoveDomain(nodeId: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (id: string): Promise<unknown> =>
      answer(api.DELETE("/api/v1/node-domains/{id}", { params: { path: { id } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: ["nodes", "domains", nodeId] }),
  });
}
