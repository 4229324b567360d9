import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { components } from "@/api/schema.gen";
import { isProblem } from "@/api/problem";
import { beginSession } from "@/api/session";

export type SignedIn = components["schemas"]["AccountsSignedIn"];
export type Session = components["schemas"]["AccountsSession"];
export type Health = components["schemas"]["SystemHealthDocument"];

/** What the form has to ask next, told by the problem's code. */
export function secondFactorChallenge(error: unknown): string | undefined {
  if (!isProblem(error, "second_factor_required")) return undefined;
  return String(error.document.challenge ?? "");
}

export function useSignIn(onSignedIn: () => void) {
  return useMutation({
    mutationFn: (body: { username: string; password: string }): Promise<SignedIn> => answer(api.POST("/api/v1/auth/login", { body })),
    onSuccess: (signedIn) => {
      beginSession(signedIn.token);
      onSignedIn();
    },
  });
}

export function useSecondFactor(onSignedIn: () => void) {
  return useMutation({
    mutationFn: (body: { challenge: string; code: string }): Promise<SignedIn> => answer(api.POST("/api/v1/auth/second-factor", { body })),
    onSuccess: (signedIn) => {
      beginSession(signedIn.token);
      onSignedIn();
    },
  });
}

export function useChangePassword() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: { current_password: string; new_password: string }): Promise<unknown> => answer(api.POST("/api/v1/auth/password", { body })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["accounts"] }),
  });
}

export const sessionsQuery = queryOptions({
  queryKey: ["accounts", "sessions"],
  queryFn: async ({ signal }): Promise<Session[]> => {
    const page = await answer(api.GET("/api/v1/auth/sessions", { signal }));
    return page.items;
  },
});

export function useEndSession() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (id: string): Promise<unknown> => answer(api.DELETE("/api/v1/auth/sessions/{id}", { params: { path: { id } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: ["accounts", "sessions"] }),
  });
}

/** Open to everyone: whether the panel runs, and its version. */
export const healthQuery = queryOptions({
  queryKey: ["health"],
  queryFn: ({ signal }): Promise<Health> => answer(api.GET("/health", { signal })),
  retry: false,
  staleTime: 30_000,
});

