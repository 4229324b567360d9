import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
  type QueryKey,
} from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { components } from "@/api/schema.gen";
import { everyPage } from "@/components/table/every-page";
import type { Page } from "../shared/pages";

type Schemas = components["schemas"];

export type Certificate = Schemas["CertificatesCertificate"];
export type Budget = Schemas["CertificatesBudget"];

const pageSize = 50;
const largestPage = 200;
const all: QueryKey = ["cdn-dns", "certificates"];

export const certificatesQuery = (sort: string) =>
  infiniteQueryOptions({
    queryKey: [...all, "list", sort],
    queryFn: ({ pageParam, signal }): Promise<Page<Certificate>> => {
      const query = { limit: pageSize, sort, ...(pageParam && { cursor: pageParam }) };
      return answer(api.GET("/api/v1/certificates", { params: { query }, signal }));
    },
    initialPageParam: "",
    getNextPageParam: (page: Page<Certificate>) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  });

/** All certificates; there is about one for each zone. */
export const everyCertificateQuery = queryOptions({
  queryKey: [...all, "every"],
  queryFn: ({ signal }): Promise<Certificate[]> =>
    everyPage((cursor) => {
      const query = { limit: largestPage, ...(cursor && { cursor }) };
      return answer(api.GET("/api/v1/certificates", { params: { query }, signal }));
    }),
});

export const certificateQuery = (id: string) =>
  queryOptions({
    queryKey: [...all, "one", id],
    queryFn: ({ signal }): Promise<Certificate> =>
      answer(api.GET("/api/v1/certificates/{id}", { params: { path: { id } }, signal })),
  });

export const budgetsQuery = queryOptions({
  queryKey: [...all, "budgets"],
  queryFn: async ({ signal }): Promise<Budget[]> =>
    (await answer(api.GET("/api/v1/certificates/budgets", { signal }))).items,
});

/** After an act on a certificate the bindings that show it are read again as well. */
function useAct<Variables, Result>(act: (variables: Variables) => Promise<Result>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: act,
    gcTime: 0,
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: all }),
        queries.invalidateQueries({ queryKey: ["cdn-dns", "bindings"] }),
      ]),
  });
}

export function useUploadCertificate() {
  return useAct((body: Schemas["CdndnsNewCertificate"]): Promise<Certificate> =>
    answer(api.POST("/api/v1/certificates", { body })),
  );
}

export function useRenewCertificate() {
  return useAct((id: string): Promise<Certificate> =>
    answer(api.POST("/api/v1/certificates/{id}/renew", { params: { path: { id } } })),
  );
}

export function useRemoveCertificate() {
  return useAct((id: string) => answer(api.DELETE("/api/v1/certificates/{id}", { params: { path: { id } } })));
}

/** Orders the certificate of a binding, the first one too. */
export function useOrderCertificate() {
  return useAct((bindingId: string): Promise<Certificate> =>
    answer(api.POST("/api/v1/node-domains/{id}/renew-certificate", { params: { path: { id: bindingId } } })),
  );
}
