import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { components } from "@/api/schema.gen";
import { everyPage } from "@/components/table/every-page";
import type { Drawing } from "../drawing/drawing";

type Schemas = components["schemas"];

export interface Page<Item> {
  items: Item[];
  next_cursor: string | null;
  total: number;
}

// The description cannot say that an object may be null; these may.
type OrNull<Shape, Key extends keyof Shape> = Omit<Shape, Key> & { [Name in Key]: Shape[Name] | null };

export type BypassedCheck = Schemas["FlowsBypassCheck"];
export type Client = Schemas["FlowsClient"];
export type Flow = OrNull<Schemas["FlowsFlow"], "entry">;
export type Draft = Schemas["FlowsDraft"];
export type Version = Schemas["FlowsVersion"];
export type VersionSnapshot = Schemas["FlowsVersionSnapshot"];
export type Check = Schemas["PlanCheck"];
export type Conflict = Schemas["PlanConflict"];
export type Share = Schemas["PlanShare"];
export type Obstacle = Schemas["PlanObstacle"];
export type PanelText = Schemas["PlanText"];
export type Step = Schemas["PlanStep"];
export type Change = Schemas["PlanChange"];
export type DiffGroup = keyof Schemas["PlanDiff"];
export type Plan = OrNull<Schemas["PlanPlan"], "canary">;
export type CanaryWish = Schemas["PlanCanaryWish"];
export type CanaryPlan = Schemas["PlanCanary"];
export type Stage = Schemas["FlowsStepStage"];
export type StageName = Stage["stage"];
export type ApplyStep = OrNull<Schemas["FlowsApplyStep"], "error">;
export type Canary = OrNull<Schemas["CanaryCanary"], "held">;
export type Apply = Omit<OrNull<Schemas["FlowsApply"], "error">, "steps" | "canary"> & {
  steps: ApplyStep[];
  canary: Canary | null;
};
export type NodeDrift = Schemas["FlowsNodeDrift"];
export type ConnectionLink = Schemas["FlowsConnectionLink"];
export type Explanation = Schemas["ExplainExplanation"];
export type WayPool = Explanation["pools"][number];
export type ProbeAnswer = OrNull<Schemas["ExplainProbeAnswer"], "exit">;
export type Replay = Schemas["TrafficReplay"];
export type Traffic = Schemas["TrafficTraffic"];
export type FlowLoad = Schemas["TrafficSum"];

/** What flows need to know of a node and of a domain bound to it. */
export type Server = Schemas["NodesBrief"];
export type NodeDomain = Pick<Schemas["DomainsDomain"], "id" | "node_id" | "hostname" | "dns_state" | "owner_id">;
export type DomainMode = Schemas["DomainsDomain"]["mode"];

export interface FlowFilter {
  q?: string;
  tag?: string;
  node_id?: string;
}

const root = "/api/v1/connection-units";
const one = "/api/v1/connection-units/{id}";
const of = (id: string) => ({ params: { path: { id } } });

export const flowsQuery = (filter: FlowFilter) =>
  infiniteQueryOptions({
    queryKey: ["flows", "list", filter],
    queryFn: ({ signal, pageParam }): Promise<Page<Flow>> =>
      answer(
        api.GET(root, {
          signal,
          params: { query: { ...filter, limit: 200, ...(pageParam && { cursor: pageParam }) } },
        }),
      ),
    initialPageParam: "",
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  });

export const flowQuery = (id: string) =>
  queryOptions({
    queryKey: ["flows", id, "flow"],
    queryFn: ({ signal }): Promise<Flow> => answer(api.GET(one, { signal, ...of(id) })),
  });

/** What the installed version carries; agents measure at this pace. */
export const trafficQuery = (id: string) =>
  queryOptions({
    queryKey: ["flows", id, "traffic"],
    queryFn: ({ signal }): Promise<Traffic> => answer(api.GET(`${one}/traffic`, { signal, ...of(id) })),
    refetchInterval: 15_000,
  });

/** What several flows carry now over all their entries; at most 64. */
export const loadsQuery = (ids: readonly string[]) =>
  queryOptions({
    queryKey: ["flows", "loads", ...ids],
    queryFn: async ({ signal }): Promise<FlowLoad[]> =>
      (await answer(api.GET(`${root}/traffic`, { signal, params: { query: { ids: ids.join() } } })))
        .items as FlowLoad[],
    refetchInterval: 15_000,
    placeholderData: keepPreviousData,
  });

/** How a node differs from what the flow has installed there. */
export const driftQuery = (id: string, nodeId: string) =>
  queryOptions({
    queryKey: ["flows", id, "drift", nodeId],
    queryFn: ({ signal }): Promise<NodeDrift> =>
      answer(api.GET(`${one}/nodes/{node_id}/drift`, { signal, params: { path: { id, node_id: nodeId } } })),
    staleTime: 0,
    retry: false,
  });

export const draftQuery = (id: string) =>
  queryOptions({
    queryKey: ["flows", id, "draft"],
    queryFn: ({ signal }): Promise<Draft> => answer(api.GET(`${one}/draft`, { signal, ...of(id) })),
    staleTime: 0,
  });

/** What installing a revision of the draft would do. Nothing is stored. */
export const previewQuery = (id: string, revision: number | undefined) =>
  queryOptions({
    queryKey: ["flows", id, "preview", revision],
    queryFn: ({ signal }): Promise<Plan> => answer(api.POST(`${one}/plan/preview`, { signal, ...of(id) })),
    enabled: revision !== undefined,
    placeholderData: keepPreviousData,
    retry: false,
  });

export const versionQuery = (id: string, versionId: string | null | undefined) =>
  queryOptions({
    queryKey: ["flows", id, "version", versionId],
    queryFn: ({ signal }): Promise<VersionSnapshot> =>
      answer(
        api.GET(`${one}/versions/{version_id}`, { signal, params: { path: { id, version_id: versionId ?? "" } } }),
      ),
    enabled: Boolean(versionId),
    staleTime: 300_000,
  });

export const planQuery = (id: string, planId: string | undefined) =>
  queryOptions({
    queryKey: ["flows", id, "plan", planId],
    queryFn: ({ signal }): Promise<Plan> =>
      answer(api.GET(`${one}/plans/{plan_id}`, { signal, params: { path: { id, plan_id: planId ?? "" } } })),
    enabled: Boolean(planId),
    // Evidence arrives from the servers while a check is open, and an agent that was away may come back.
    refetchInterval: ({ state: { data: plan } }) => {
      if (plan?.state !== "ready") return false;
      const open = plan.readiness.some((check) => check.status === "unconfirmed");
      if (plan.checking) return 1_500;
      return open || plan.obstacles.length > 0 ? 3_000 : false;
    },
  });

export const applyQuery = (id: string, applyId: string | null | undefined) =>
  queryOptions({
    queryKey: ["flows", id, "apply", applyId],
    queryFn: ({ signal }): Promise<Apply> =>
      answer(api.GET(`${one}/applies/{apply_id}`, { signal, params: { path: { id, apply_id: applyId ?? "" } } })),
    enabled: Boolean(applyId),
    // The stream tells each stage; the timer is for a stream that is down.
    refetchInterval: (query) => (query.state.data?.state === "applying" ? 1_500 : false),
  });

/** The drawing of an apply and the sessions on its nodes around it. */
export const replayQuery = (id: string, applyId: string) =>
  queryOptions({
    queryKey: ["flows", id, "replay", applyId],
    queryFn: ({ signal }): Promise<Replay> =>
      answer(api.GET(`${one}/applies/{apply_id}/replay`, { signal, params: { path: { id, apply_id: applyId } } })),
    staleTime: 60_000,
  });

/** What a list of clients is narrowed down to, and its order. */
export interface ClientFilter {
  q?: string | undefined;
  sort: string;
}

const clientPage = (id: string, { q, sort }: ClientFilter, limit: number, cursor?: string, signal?: AbortSignal) =>
  answer(
    api.GET(`${one}/clients`, {
      params: { path: { id }, query: { limit, sort, ...(q && { q }), ...(cursor && { cursor }) } },
      ...(signal && { signal }),
    }),
  );

/** The clients of a flow, page by page: there may be tens of thousands. */
export const clientsQuery = (id: string, filter: ClientFilter) =>
  infiniteQueryOptions({
    queryKey: ["flows", id, "clients", filter.q, filter.sort],
    queryFn: ({ pageParam, signal }) => clientPage(id, filter, 50, pageParam, signal),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    select: ({ pages }) => ({ items: pages.flatMap((page): Client[] => page.items), total: pages.at(-1)?.total ?? 0 }),
    placeholderData: keepPreviousData,
  });

/** All clients that match, for a file. */
export const everyClient = (id: string, filter: ClientFilter): Promise<Client[]> =>
  everyPage((cursor) => clientPage(id, filter, 200, cursor));

/** Whether the nodes let one client in. */
export const clientLetInQuery = (id: string, clientId: string) =>
  queryOptions({
    queryKey: ["flows", id, "client", clientId],
    queryFn: ({ signal }) => answer(api.GET("/api/v1/clients/{id}", { signal, params: { path: { id: clientId } } })),
    select: (client) => client.flows.some((use) => use.flow_id === id && use.installed),
  });

export const explainQuery = (id: string, revision: number, target: string, of: Explanation["of"]) =>
  queryOptions({
    queryKey: ["flows", id, "explain", revision, target, of],
    queryFn: ({ signal }): Promise<Explanation> =>
      answer(api.GET(`${one}/explain`, { signal, params: { path: { id }, query: { ...destination(target), of } } })),
    enabled: target !== "",
    retry: false,
  });

/** Agents try the installed way to a destination. */
export const useProbeWay = (id: string) =>
  useMutation({
    mutationFn: (target: string) =>
      answer(
        api.POST(`${one}/explain/probe`, { params: { path: { id } }, body: destination(target) }),
      ) as Promise<ProbeAnswer>,
  });

/** Reads "youtube.com:443", "1.1.1.1", "[2001:db8::1]:53" or ":25" as what to trace. */
export function destination(text: string): { domain?: string; ip?: string; port?: number } {
  const trimmed = text.trim();
  const six = /^\[?([0-9a-f]*:[0-9a-f:.]*:[0-9a-f:.]*)\]?(?::(\d{1,5}))?$/i.exec(trimmed);
  const [, host = "", port] =
    (trimmed.startsWith("[") ? six : six ? [trimmed, trimmed] : undefined) ??
    /^(.*?)(?::(\d{1,5}))?$/.exec(trimmed) ??
    [];
  const isAddress = six !== null || /^\d{1,3}(\.\d{1,3}){3}$/.test(host);
  return { ...(host && { [isAddress ? "ip" : "domain"]: host }), ...(port && { port: Number(port) }) };
}

/** How many nodes are known by name at once; others are asked for where they are shown. */
const knownNodes = 200;

const named = (query: { ids?: string; q?: string; limit?: number }, signal: AbortSignal): Promise<Server[]> =>
  answer(api.GET("/api/v1/nodes/brief", { signal, params: { query } })).then(({ nodes }) => nodes);

export const serversQuery = queryOptions({
  queryKey: ["nodes", "of-flows"],
  queryFn: ({ signal }) => named({ limit: knownNodes }, signal),
  staleTime: 30_000,
});

/** These nodes by name, all in one question; those that are gone are left out. */
export const namedQuery = (ids: readonly string[]) =>
  queryOptions({
    queryKey: ["nodes", "of-flows", ...ids],
    queryFn: ({ signal }) => named({ ids: ids.slice(0, knownNodes).join(",") }, signal),
    enabled: ids.length > 0,
    staleTime: 30_000,
    placeholderData: keepPreviousData,
    retry: false,
  });

/** The nodes that a picker offers for what was typed; the panel searches, whatever the size of the fleet. */
export const foundServersQuery = (q: string) =>
  queryOptions({
    queryKey: ["nodes", "found", q],
    queryFn: ({ signal }) => named({ limit: 20, ...(q && { q }) }, signal),
    staleTime: 30_000,
    placeholderData: keepPreviousData,
  });

/** The domains of one owner on a node that a picker offers for what was typed; the panel searches. */
export const foundDomainsQuery = (node_id: string | undefined, owner: string, q: string) =>
  queryOptions({
    queryKey: ["nodes", "domains-of", node_id, owner, q],
    queryFn: ({ signal }): Promise<Page<NodeDomain>> =>
      answer(
        api.GET("/api/v1/node-domains", { signal, params: { query: { node_id, owner, limit: 20, ...(q && { q }) } } }),
      ),
    enabled: Boolean(node_id),
    staleTime: 30_000,
    placeholderData: keepPreviousData,
  });

export const domainQuery = (id: string) =>
  queryOptions({
    queryKey: ["nodes", "domain", id],
    queryFn: ({ signal }): Promise<NodeDomain> =>
      answer(api.GET("/api/v1/node-domains/{id}", { signal, params: { path: { id } } })),
    staleTime: 30_000,
    retry: false,
  });

/** The zones that an account has bound host names in, to be offered for the next one. */
export const ownZonesQuery = (owner: string) =>
  queryOptions({
    queryKey: ["nodes", "zones-of", owner],
    queryFn: async ({ signal }): Promise<string[]> => {
      const query = { owner, limit: 200 };
      const { items } = await answer(api.GET("/api/v1/node-domains", { signal, params: { query } }));
      return [...new Set(items.map(({ zone }) => zone))].sort();
    },
    staleTime: 30_000,
  });

/** Binds a host name to a node, for the account that is signed in. */
export function useBindDomain() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: Schemas["DomainsCreateInputBody"]): Promise<NodeDomain> =>
      answer(api.POST("/api/v1/node-domains", { body })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["nodes"] }),
  });
}

const askedNodes = 20;

export type NodeNow = Pick<Server, "id" | "name"> & { connections: number | undefined };

/** The nodes that an act on flows touches, with their open connections now; of very many the first ones. */
export const nodesNowQuery = (ids: readonly string[]) =>
  queryOptions({
    queryKey: ["nodes", "of-act", ...ids],
    queryFn: ({ signal }): Promise<NodeNow[]> =>
      Promise.all(
        ids.slice(0, askedNodes).map(async (id) => {
          const { name, agent, metrics } = await answer(
            api.GET("/api/v1/nodes/{id}", { signal, params: { path: { id } } }),
          );
          return { id, name, connections: agent.connected ? metrics?.tcp_established : undefined };
        }),
      ),
    staleTime: 5_000,
    retry: false,
  });

/** All flows that match, for a file. */
export const everyFlow = (filter: FlowFilter): Promise<Flow[]> =>
  everyPage((cursor) =>
    answer(api.GET(root, { params: { query: { ...filter, limit: 200, ...(cursor && { cursor }) } } })),
  );

/** Stores the draft that was made on `revision`; a newer one on the panel is a `revision_conflict`. */
export function saveDraft(id: string, revision: number, graph: Drawing, version_id?: string): Promise<Draft> {
  return answer(
    api.PUT(`${one}/draft`, {
      params: { path: { id }, header: { "If-Match": String(revision) } },
      body: { graph, version_id },
    }),
  );
}

export function readDraft(id: string): Promise<Draft> {
  return answer(api.GET(`${one}/draft`, of(id)));
}

/** Every act on flows; whatever ends well or badly, lists and the flow are read again. */
export function useFlowAct<Input, Output>(act: (input: Input) => Promise<Output>) {
  const queries = useQueryClient();
  return useMutation({ mutationFn: act, onSettled: () => queries.invalidateQueries({ queryKey: ["flows"] }) });
}

export const useCreateFlow = () =>
  useFlowAct((body: { name: string; graph?: Drawing }): Promise<Flow> => answer(api.POST(root, { body })));

/** A new flow with what another one draws now. */
export const useCloneFlow = () =>
  useFlowAct(async ({ id, name }: { id: string; name: string }): Promise<Flow> => {
    const { graph } = await readDraft(id);
    return answer(api.POST(root, { body: { name, graph } }));
  });

export const useDeleteFlow = () => useFlowAct((id: string): Promise<Apply> => answer(api.DELETE(one, of(id))));

export interface FlowChange {
  id: string;
  revision: number;
  name?: string;
  description?: string;
  tags?: string[];
}

export const useChangeFlow = () =>
  useFlowAct(({ id, ...body }: FlowChange): Promise<Flow> => answer(api.PATCH(one, { ...of(id), body })));

export const useSwitchFlow = () =>
  useFlowAct(({ id, on }: { id: string; on: boolean }): Promise<Apply> =>
    answer(api.POST(on ? `${one}/enable` : `${one}/disable`, of(id))),
  );

export const useCompile = (id: string) =>
  useFlowAct((canary: CanaryWish | void): Promise<Plan> =>
    answer(api.POST(`${one}/plan/compile`, { ...of(id), ...(canary && { body: { canary } }) })),
  );

export const useRecheck = (id: string, planId: string) =>
  useFlowAct((_: void): Promise<Plan> =>
    answer(api.POST(`${one}/plans/{plan_id}/recheck`, { params: { path: { id, plan_id: planId } } })),
  );

/** Starts the installation and comes back at once; the apply's own page follows it. */
export const useApply = (id: string) =>
  useFlowAct(({ plan, force }: { plan: Pick<Plan, "id" | "revision">; force: boolean }): Promise<Apply> =>
    answer(
      api.POST(`${one}/apply`, {
        params: { path: { id }, query: { wait: 0 } },
        body: { id: plan.id, revision: plan.revision, force_apply: force },
      }),
    ),
  );

/** Stops an apply that is not decided yet: it fails, and every node goes back. */
export const useStopApply = (id: string, applyId: string) =>
  useFlowAct((_: void): Promise<Apply> =>
    answer(api.POST(`${one}/applies/{apply_id}/stop`, { params: { path: { id, apply_id: applyId } } })),
  );

/** Lets the rest follow a canary before its time, or ends the canary. */
export const useCanaryAct = (id: string, applyId: string, act: "promote" | "abort") =>
  useFlowAct((_: void): Promise<Apply> => {
    const path = { params: { path: { id, apply_id: applyId } } };
    return answer(
      act === "promote"
        ? api.POST(`${one}/applies/{apply_id}/promote`, path)
        : api.POST(`${one}/applies/{apply_id}/abort`, path),
    );
  });

/** Installs the flow's part on one node again, as it is installed. */
export const useRestore = (id: string) =>
  useFlowAct((nodeId: string): Promise<Apply> =>
    answer(api.POST(`${one}/nodes/{node_id}/restore`, { params: { path: { id, node_id: nodeId } } })),
  );

export const useAddClient = (id: string) =>
  useFlowAct((label: string): Promise<Client> => answer(api.POST(`${one}/clients`, { ...of(id), body: { label } })));

export const useRevokeClient = (id: string) =>
  useFlowAct((clientId: string): Promise<void> =>
    answer(api.DELETE(`${one}/clients/{client_id}`, { params: { path: { id, client_id: clientId } } })),
  );

export const useClosePublicLink = (id: string) =>
  useFlowAct((clientId: string): Promise<void> =>
    answer(api.DELETE(`${one}/clients/{client_id}/public-link`, { params: { path: { id, client_id: clientId } } })),
  );

/** Answers with a secret: called directly, so that no cache of queries or mutations ever holds it. */
export function issueLink(id: string, clientId: string): Promise<ConnectionLink> {
  return answer(api.POST(`${one}/connection-link`, { ...of(id), body: { client_id: clientId } }));
}

/** Answers with a secret: called directly, as above. */
export function issuePublicLink(id: string, clientId: string): Promise<{ url: string; created_at: string }> {
  return answer(api.POST(`${one}/clients/{client_id}/public-link`, { params: { path: { id, client_id: clientId } } }));
}
