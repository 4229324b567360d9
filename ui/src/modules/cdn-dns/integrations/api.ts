import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { components } from "@/api/schema.gen";
import { everyPage } from "@/components/table/every-page";

type Schemas = components["schemas"];

export type Integration = Schemas["CdndnsIntegration"];
export type NewIntegration = Schemas["CdndnsNewIntegration"];
export type IntegrationChange = Schemas["CdndnsIntegrationChange"];
export type ProviderKind = Schemas["CdndnsProviderKind"];
export type ProviderField = ProviderKind["fields"][number];
export type Zone = Schemas["CdndnsZone"];
export type DNSSetup = Schemas["CdndnsDNSSetup"];
export type DNSSetupResult = Schemas["CdndnsDNSSetupResult"];

const most = 200;

export const integrationsQuery = queryOptions({
  queryKey: ["cdn-dns", "integrations"],
  queryFn: ({ signal }): Promise<Integration[]> =>
    everyPage((cursor) => {
      const query = { limit: most, ...(cursor && { cursor }) };
      return answer(api.GET("/api/v1/dns/integrations", { params: { query }, signal }));
    }),
});

/** The services and the fields of each; they change only with the release. */
export const providersQuery = queryOptions({
  queryKey: ["cdn-dns", "providers"],
  queryFn: async ({ signal }): Promise<ProviderKind[]> =>
    (await answer(api.GET("/api/v1/dns/providers", { signal }))).items,
  staleTime: Infinity,
});

/** After an act the list is read again. */
function useAct<Variables, Result>(act: (variables: Variables) => Promise<Result>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: act,
    gcTime: 0,
    onSettled: () => queries.invalidateQueries({ queryKey: integrationsQuery.queryKey }),
  });
}

export function useAddIntegration() {
  return useAct((body: NewIntegration): Promise<Integration> => answer(api.POST("/api/v1/dns/integrations", { body })));
}

export function useChangeIntegration() {
  return useAct(({ id, ...body }: IntegrationChange & { id: string }): Promise<Integration> =>
    answer(api.PATCH("/api/v1/dns/integrations/{id}", { params: { path: { id } }, body })),
  );
}

export function useRemoveIntegration() {
  return useAct((id: string) => answer(api.DELETE("/api/v1/dns/integrations/{id}", { params: { path: { id } } })));
}

/** Asks the service for its zones now, which is a check of the integration as well. */
export function useCheckIntegration() {
  return useAct(
    async (id: string): Promise<Zone[]> =>
      (await answer(api.GET("/api/v1/dns/integrations/{id}/zones", { params: { path: { id } } }))).items,
  );
}

/** The DNS step of the first installation. */
export function useFirstDNS() {
  return useMutation({
    mutationFn: (body: DNSSetup): Promise<DNSSetupResult> =>
      answer(api.POST("/api/v1/setup/dnsprovider/dns", { body })),
    gcTime: 0,
  });
}
