import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import { isProblem } from "@/api/problem";
import type { components } from "@/api/schema.gen";
import { everyPage } from "@/components/table/every-page";

type Schemas = components["schemas"];

export type Figures = Schemas["RemnawaveFigures"];

/** The description cannot say that a reference may be null; the panel sends null until it has seen figures. */
export type Connection = Omit<Schemas["ProxypanelConnection"], "panel"> & { panel: Figures | null };
export type State = Connection["state"];
export type NewConnection = Schemas["ProxypanelNewConnection"];
export type ConnectionChange = Schemas["ProxypanelConnectionChange"];
export type TokenScope = Schemas["ProxypanelTokenScope"];
export type NewFresh = Schemas["ProxypanelBootstrap"];
export type Fresh = Omit<Schemas["ProxypanelBootstrapResult"], "connection"> & { connection: Connection };

const most = 200;

/** How often the panel looks at each; a look that finds the same causes no event. */
const lookEvery = 60_000;

export const connectionsQuery = queryOptions({
  queryKey: ["proxypanel", "connections"],
  queryFn: ({ signal }): Promise<Connection[]> =>
    everyPage<Connection>((cursor) => {
      const query = { limit: most, sort: "label", ...(cursor && { cursor }) } as const;
      return answer(api.GET("/api/v1/proxypanel/connections", { params: { query }, signal }));
    }),
  refetchInterval: lookEvery,
});

/** What a token must be allowed there; it changes only with the release. */
export const scopesQuery = queryOptions({
  queryKey: ["proxypanel", "scopes"],
  queryFn: async ({ signal }): Promise<TokenScope[]> =>
    (await answer(api.GET("/api/v1/proxypanel/scopes", { signal }))).items,
  staleTime: Infinity,
});

/** After an act, also one that was refused, the list is read again. */
function useAct<Variables, Result>(act: (variables: Variables) => Promise<Result>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: act,
    gcTime: 0,
    onSettled: () => queries.invalidateQueries({ queryKey: connectionsQuery.queryKey }),
  });
}

export function useAddConnection() {
  return useAct((body: NewConnection): Promise<Connection> =>
    answer(api.POST("/api/v1/proxypanel/connections", { body })),
  );
}

export function useChangeConnection() {
  return useAct(({ id, ...body }: ConnectionChange & { id: string }): Promise<Connection> =>
    answer(api.PATCH("/api/v1/proxypanel/connections/{id}", { params: { path: { id } }, body })),
  );
}

export function useRemoveConnection() {
  return useAct((id: string) =>
    answer(api.DELETE("/api/v1/proxypanel/connections/{id}", { params: { path: { id } } })),
  );
}

/** Looks at the proxy panel now; whatever is wrong there is the answer. */
export function useTestConnection() {
  return useAct((id: string): Promise<Connection> =>
    answer(api.POST("/api/v1/proxypanel/connections/{id}/test", { params: { path: { id } } })),
  );
}

/** Whether a fresh proxy panel may be set up: if not, the line for the panel's environment and how it is restarted. */
export type Way = { kind: "open" } | { kind: "over" } | { kind: "closed"; variable: string; restart: string };

const nobody: NewFresh = { label: "", base_url: "" };

/** Asks with a form that nobody has filled in: whether the way is open is said before the form is looked at. */
export const wayQuery = queryOptions({
  queryKey: ["proxypanel", "way"],
  queryFn: async ({ signal }): Promise<Way> => {
    try {
      await answer(api.POST("/api/v1/setup/proxypanel/bootstrap", { body: nobody, signal }));
    } catch (error) {
      if (isProblem(error, "setup_closed")) return { kind: "over" };
      if (isProblem(error, "bootstrap_disabled")) {
        const { variable, restart } = error.document;
        return { kind: "closed", variable: String(variable), restart: String(restart) };
      }
      if (!isProblem(error) || error.status !== 422) throw error;
    }
    return { kind: "open" };
  },
  retry: false,
  gcTime: 0,
});

/** Makes the first administrator there, whose credentials are in the answer and kept nowhere. */
export function useSetUpFresh() {
  return useAct((body: NewFresh): Promise<Fresh> => answer(api.POST("/api/v1/setup/proxypanel/bootstrap", { body })));
}
