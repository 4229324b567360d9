import { queryOptions, useQuery } from "@tanstack/react-query";
import { answer, api } from "./client";
import { useAccess } from "./access";

/** An account at a CDN that host names can lead through. */
export interface CdnAccount {
  id: string;
  label: string;
}

const most = 200;

const cdnAccountsQuery = queryOptions({
  queryKey: ["cdn-dns", "integrations", "cdn"],
  queryFn: async ({ signal }): Promise<CdnAccount[]> => {
    const [providers, integrations] = await Promise.all([
      answer(api.GET("/api/v1/dns/providers", { signal })),
      answer(api.GET("/api/v1/dns/integrations", { params: { query: { limit: most } }, signal })),
    ]);
    const titles = new Map(providers.items.filter(({ cdn }) => cdn).map(({ name, title }) => [name, title]));
    return integrations.items.flatMap(({ id, label, provider }) => {
      const title = titles.get(provider);
      return title ? [{ id, label: label === title ? label : `${label} (${title})` }] : [];
    });
  },
});

/** The accounts at CDNs, for those who may see integrations; none before they are read. */
export function useCdnAccounts(wanted: boolean): CdnAccount[] {
  const { can } = useAccess();
  return useQuery({ ...cdnAccountsQuery, enabled: wanted && can("dns.view") }).data ?? [];
}
