import { queryOptions, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { answer, api } from "./client";
import type { FeatureKey, PermissionKey } from "./keys.gen";
import type { components } from "./schema.gen";
import { useSession } from "./session";

export type Me = components["schemas"]["AccountsMeOutputBody"];

/** The description cannot say that a reference may be null; the panel sends null before the first check. */
export type LicenseStatus = Omit<components["schemas"]["LicenseStatus"], "last_check"> & {
  last_check: components["schemas"]["LicenseLastCheck"] | null;
};

export const meQuery = queryOptions({
  queryKey: ["accounts", "me"],
  queryFn: ({ signal }): Promise<Me> => answer(api.GET("/api/v1/auth/me", { signal })),
  staleTime: 60_000,
});

export const licenseQuery = queryOptions({
  queryKey: ["license", "status"],
  queryFn: ({ signal }): Promise<LicenseStatus> => answer(api.GET("/api/v1/license/status", { signal })),
  staleTime: 60_000,
});

/** Whether a set of keys opens what needs one of `needed`. `*` opens all, `family.*` its family. */
export function opens(held: readonly string[], needed: readonly string[]): boolean {
  if (needed.length === 0) return true;
  return needed.some((key) =>
    held.some((own) => own === "*" || own === key || (own.endsWith(".*") && key.startsWith(own.slice(0, -1)))),
  );
}

/** What the signed-in account may see. Hiding is comfort; the panel decides. */
export function useAccess() {
  const signedIn = useSession().token !== undefined;
  const me = useQuery({ ...meQuery, enabled: signedIn });
  const held = me.data?.permissions ?? [];
  return { account: me.data?.account, permissions: held, can: (...needed: PermissionKey[]) => opens(held, needed) };
}

export interface WriteRule {
  needs?: PermissionKey;
  feature?: FeatureKey;
  /** The operation is on the list of what works without a license. */
  whileReadOnly?: boolean;
}

/** Why a writing act is closed right now, or undefined when it is open. */
export function useWriteBlock(rule: WriteRule): string | undefined {
  return useWriteBlocks()(rule);
}

/** The same for many acts, each with its own rule. */
export function useWriteBlocks(): (rule: WriteRule) => string | undefined {
  const { t } = useTranslation("app");
  const { can } = useAccess();
  const license = useQuery({ ...licenseQuery, enabled: useSession().token !== undefined }).data;
  return ({ needs, feature, whileReadOnly = false }) => {
    if (needs && !can(needs)) return t("block.permission", { key: needs });
    // What is open in read-only mode is open whatever the plan says.
    if (license?.read_only) return whileReadOnly ? undefined : t("block.readOnly");
    if (feature && license?.features.blocked.includes(feature)) return t("block.feature", { plan: license.plan ?? "" });
    return undefined;
  };
}
