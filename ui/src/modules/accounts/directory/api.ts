import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { components, paths } from "@/api/schema.gen";
import { unlessGone } from "@/api/problem";
import type { ApiToken } from "@/components/session/token-rows";
import type { Session } from "@/components/session/session-rows";
import type { Permission } from "../permissions/areas";

export type Account = components["schemas"]["AccountsAccount"];
export type PasswordReset =
  paths["/api/v1/accounts/{id}/password"]["post"]["requestBody"]["content"]["application/json"];
export type NewAccount = paths["/api/v1/accounts"]["post"]["requestBody"]["content"]["application/json"];

const pageSize = 100;

export const accountsQuery = (filter: { q?: string; state?: Account["state"] }) =>
  infiniteQueryOptions({
    queryKey: ["accounts", "list", filter],
    queryFn: ({ pageParam, signal }): Promise<components["schemas"]["AccountsAccountPage"]> =>
      answer(
        api.GET("/api/v1/accounts", {
          params: { query: { ...filter, limit: pageSize, ...(pageParam ? { cursor: pageParam } : {}) } },
          signal,
        }),
      ),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  });

export const accountQuery = (id: string) =>
  queryOptions({
    queryKey: ["accounts", "one", id],
    queryFn: ({ signal }): Promise<Account> =>
      answer(api.GET("/api/v1/accounts/{id}", { params: { path: { id } }, signal })),
  });

export const accountSessionsQuery = (id: string) =>
  queryOptions({
    queryKey: ["accounts", "sessions-of", id],
    queryFn: async ({ signal }): Promise<Session[]> =>
      (await answer(api.GET("/api/v1/accounts/{id}/sessions", { params: { path: { id } }, signal }))).items,
  });

export const accountTokensQuery = (id: string) =>
  queryOptions({
    queryKey: ["accounts", "tokens-of", id],
    queryFn: async ({ signal }): Promise<ApiToken[]> =>
      (await answer(api.GET("/api/v1/accounts/{id}/tokens", { params: { path: { id } }, signal }))).items,
  });

export const catalogueQuery = queryOptions({
  queryKey: ["accounts", "permissions"],
  queryFn: async ({ signal }): Promise<Permission[]> =>
    (await answer(api.GET("/api/v1/permissions", { signal }))).items,
  staleTime: 5 * 60_000,
});

/**
 * Every act on accounts makes all that is known of them stale, one's own keys included. Nothing typed outlives the
 * form.
 */
function useAccountAct<Variables, Result = unknown>(act: (variables: Variables) => Promise<Result>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: act,
    gcTime: 0,
    onSettled: () => queries.invalidateQueries({ queryKey: ["accounts"] }),
  });
}

export function useCreateAccount() {
  return useAccountAct((body: NewAccount): Promise<Account> => answer(api.POST("/api/v1/accounts", { body })));
}

export interface AccountChange {
  id: string;
  revision: number;
  username?: string;
  permissions?: string[];
  state?: Account["state"];
}

export function useChangeAccount() {
  return useAccountAct(({ id, ...body }: AccountChange): Promise<Account> =>
    answer(api.PATCH("/api/v1/accounts/{id}", { params: { path: { id } }, body })),
  );
}

/** Deletes an account; the heir gets what it owns. */
export function useDeleteAccount() {
  return useAccountAct(({ id, heir }: { id: string; heir?: string }) =>
    answer(
      api.DELETE("/api/v1/accounts/{id}", { params: { path: { id }, query: heir ? { hand_over_to: heir } : {} } }),
    ),
  );
}

export function useResetPassword() {
  return useAccountAct(({ id, ...body }: { id: string } & PasswordReset) =>
    answer(api.POST("/api/v1/accounts/{id}/password", { params: { path: { id } }, body })),
  );
}

export function useEndSessionOf(accountId: string) {
  return useAccountAct((session: string) =>
    answer(
      api.DELETE("/api/v1/accounts/{id}/sessions/{session_id}", {
        params: { path: { id: accountId, session_id: session } },
      }),
    ),
  );
}

/** Ends many, one after the other; one that is gone already is no failure. */
export function useEndSessionsOf(accountId: string) {
  return useAccountAct(async (sessions: string[]) => {
    for (const session_id of sessions) {
      const params = { path: { id: accountId, session_id } };
      await answer(api.DELETE("/api/v1/accounts/{id}/sessions/{session_id}", { params })).catch(unlessGone);
    }
  });
}

export function useRevokeTokenOf(accountId: string) {
  return useAccountAct((token: string) =>
    answer(
      api.DELETE("/api/v1/accounts/{id}/tokens/{token_id}", {
        params: { path: { id: accountId, token_id: token } },
      }),
    ),
  );
}
