import { useMutation, useQueryClient } from "@tanstack/react-query";
import { licenseQuery, type LicenseStatus } from "@/api/access";
import { answer, api } from "@/api/client";

/** The answer of every act on the license is the new status. */
function useLicenseAct<Variables>(act: (variables: Variables) => Promise<LicenseStatus>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: act,
    onSuccess: (status) => queries.setQueryData(licenseQuery.queryKey, status),
    onError: () => queries.invalidateQueries({ queryKey: ["license"] }),
  });
}

export function useActivate() {
  return useLicenseAct((key: string) => answer(api.POST("/api/v1/license/activate", { body: { license_key: key } })));
}

export function useRefresh() {
  return useLicenseAct<void>(() => answer(api.POST("/api/v1/license/refresh", {})));
}

export function useRemove() {
  return useLicenseAct<void>(() => answer(api.POST("/api/v1/license/remove", {})));
}
