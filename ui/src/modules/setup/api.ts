import { useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { components } from "@/api/schema.gen";
import { beginSession } from "@/api/session";

export type NewAdministrator = components["schemas"]["SetupAdminInputBody"];

/** Creates the first administrator and signs in as them. */
export function useCreateAdministrator() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: NewAdministrator): Promise<components["schemas"]["AccountsSignedIn"]> =>
      answer(api.POST("/api/v1/setup/admin", { body })),
    onSuccess: (signedIn) => {
      beginSession(signedIn.token);
      return queries.invalidateQueries({ queryKey: ["setup"] });
    },
  });
}

export function useFinishSetup() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (): Promise<unknown> => answer(api.POST("/api/v1/setup/finish", {})),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["setup"] }),
  });
}
