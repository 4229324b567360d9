import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { answer, api } from "@/api/client";
import type { components, paths } from "@/api/schema.gen";
import { isProblem } from "@/api/problem";
import { beginSession, endSession } from "@/api/session";

export type SignedIn = components["schemas"]["AccountsSignedIn"];
export type PasswordChange = paths["/api/v1/auth/password"]["post"]["requestBody"]["content"]["application/json"];
export type Health = components["schemas"]["SystemHealthDocument"];

export type FactorMethod = "totp" | "recovery_code" | "passkey";

/** The second step of a sign-in: its token, the ways open to this account, and what a passkey needs. */
export interface Challenge {
  token: string;
  methods: FactorMethod[];
  passkeyOptions: unknown;
}

/** What the form has to ask next, told by the problem's code. */
export function secondFactorChallenge(error: unknown): Challenge | undefined {
  if (!isProblem(error, "second_factor_required")) return undefined;
  const { challenge, methods, passkey_options } = error.document;
  return {
    token: String(challenge ?? ""),
    methods: Array.isArray(methods) ? (methods as FactorMethod[]) : ["totp", "recovery_code"],
    passkeyOptions: passkey_options,
  };
}

export function useSignIn(onSignedIn: () => void) {
  return useMutation({
    gcTime: 0,
    mutationFn: (body: { username: string; password: string }): Promise<SignedIn> =>
      answer(api.POST("/api/v1/auth/login", { body })),
    onSuccess: (signedIn) => {
      beginSession(signedIn.token);
      onSignedIn();
    },
  });
}

export function useSecondFactor(onSignedIn: () => void) {
  return useMutation({
    gcTime: 0,
    mutationFn: (body: {
      challenge: string;
      code?: string;
      recovery_code?: string;
      passkey?: unknown;
    }): Promise<SignedIn> => answer(api.POST("/api/v1/auth/second-factor", { body })),
    onSuccess: (signedIn) => {
      beginSession(signedIn.token);
      onSignedIn();
    },
  });
}

export function useOwnPassword() {
  return useMutation({
    gcTime: 0,
    mutationFn: (body: PasswordChange) => answer(api.POST("/api/v1/auth/password", { body })),
  });
}

/** Signing out here holds even when the panel cannot be told. */
export function useSignOut() {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: () => answer(api.POST("/api/v1/auth/logout", {})),
    onSettled: async () => {
      endSession();
      await navigate({ to: "/login" });
      queries.clear();
    },
  });
}

/** Open to everyone: whether the panel runs, and its version. */
export const healthQuery = queryOptions({
  queryKey: ["health"],
  queryFn: ({ signal }): Promise<Health> => answer(api.GET("/health", { signal })),
  retry: false,
  staleTime: 30_000,
});
