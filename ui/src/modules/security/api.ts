import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import { unlessGone } from "@/api/problem";
import type { components } from "@/api/schema.gen";
import { makePasskey } from "@/components/session/passkeys";
import type { Session } from "@/components/session/session-rows";

export type Factors = components["schemas"]["AccountsFactorsOutputBody"];
export type Passkey = components["schemas"]["AccountsPasskey"];
export type ApiToken = components["schemas"]["AccountsApiToken"];
export type Enrolment = components["schemas"]["AccountsEnrolment"];

export const longestPasskeyName = 64;

export const factorsQuery = queryOptions({
  queryKey: ["security", "factors"],
  queryFn: ({ signal }): Promise<Factors> => answer(api.GET("/api/v1/auth/factors", { signal })),
});

export const sessionsQuery = queryOptions({
  queryKey: ["security", "sessions"],
  queryFn: async ({ signal }): Promise<Session[]> => (await answer(api.GET("/api/v1/auth/sessions", { signal }))).items,
});

export const tokensQuery = queryOptions({
  queryKey: ["security", "tokens"],
  queryFn: async ({ signal }): Promise<ApiToken[]> => (await answer(api.GET("/api/v1/auth/tokens", { signal }))).items,
});

/**
 * What is known of one's own account, and of accounts at all, is stale after each act. Passwords, secrets and codes do
 * not outlive the form.
 */
function useOwnAct<Variables, Result = unknown>(act: (variables: Variables) => Promise<Result>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: act,
    gcTime: 0,
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ["security"] }),
        queries.invalidateQueries({ queryKey: ["accounts"] }),
      ]),
  });
}

export function useChangePassword() {
  return useOwnAct((body: { current_password: string; new_password: string }) =>
    answer(api.POST("/api/v1/auth/password", { body })),
  );
}

export function useEndSession() {
  return useOwnAct((id: string) => answer(api.DELETE("/api/v1/auth/sessions/{id}", { params: { path: { id } } })));
}

/** Ends many, one after the other; one that is gone already is no failure. */
export function useEndSessions() {
  return useOwnAct(async (ids: string[]) => {
    for (const id of ids) {
      await answer(api.DELETE("/api/v1/auth/sessions/{id}", { params: { path: { id } } })).catch(unlessGone);
    }
  });
}

export function useBeginTotp() {
  return useOwnAct((password: string): Promise<Enrolment> =>
    answer(api.POST("/api/v1/auth/totp", { body: { password } })),
  );
}

export function useConfirmTotp() {
  return useOwnAct(
    async (code: string): Promise<string[]> =>
      (await answer(api.POST("/api/v1/auth/totp/confirm", { body: { code } }))).recovery_codes,
  );
}

export function useRenewCodes() {
  return useOwnAct(
    async (password: string): Promise<string[]> =>
      (await answer(api.POST("/api/v1/auth/totp/recovery-codes", { body: { password } }))).recovery_codes,
  );
}

export function useRemoveTotp() {
  return useOwnAct((password: string) => answer(api.POST("/api/v1/auth/totp/remove", { body: { password } })));
}

export function useAddPasskey() {
  return useOwnAct(async ({ password, name }: { password: string; name: string }): Promise<Passkey> => {
    const { challenge, options } = await answer(api.POST("/api/v1/auth/passkeys", { body: { password } }));
    const credential = await makePasskey(options);
    return answer(api.POST("/api/v1/auth/passkeys/finish", { body: { challenge, name, credential } }));
  });
}

export function useRenamePasskey() {
  return useOwnAct(({ id, name }: { id: string; name: string }): Promise<Passkey> =>
    answer(api.PATCH("/api/v1/auth/passkeys/{id}", { params: { path: { id } }, body: { name } })),
  );
}

export function useRemovePasskey() {
  return useOwnAct(({ id, password }: { id: string; password: string }) =>
    answer(api.POST("/api/v1/auth/passkeys/{id}/remove", { params: { path: { id } }, body: { password } })),
  );
}

export interface NewToken {
  name: string;
  permissions: string[];
  expires_in_days: number;
  current_password: string;
}

export function useCreateToken() {
  return useOwnAct(
    async (body: NewToken): Promise<string> => (await answer(api.POST("/api/v1/auth/tokens", { body }))).token,
  );
}

export function useRevokeToken() {
  return useOwnAct((id: string) => answer(api.DELETE("/api/v1/auth/tokens/{id}", { params: { path: { id } } })));
}
