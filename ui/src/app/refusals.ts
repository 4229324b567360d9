import type { QueryClient } from "@tanstack/react-query";
import { licenseQuery, meQuery } from "@/api/access";
import { isProblem } from "@/api/problem";

/**
 * What this tab believes and a refusal contradicts: the page then tells the new truth before anything else is tried.
 */
const contradicted: Record<string, readonly unknown[]> = {
  permission_denied: meQuery.queryKey,
  password_change_required: meQuery.queryKey,
  license_read_only: licenseQuery.queryKey,
  license_feature_blocked: licenseQuery.queryKey,
};

/** Learns from refusals: lost keys and a lost license show at once, without waiting for the next look. */
export function learnFromRefusals(queries: QueryClient): () => void {
  const learn = (error: unknown) => {
    const queryKey = isProblem(error) ? contradicted[error.code] : undefined;
    if (queryKey) void queries.invalidateQueries({ queryKey });
  };
  const stops = [
    queries
      .getMutationCache()
      .subscribe((event) => event.type === "updated" && event.action.type === "error" && learn(event.action.error)),
    queries
      .getQueryCache()
      .subscribe((event) => event.type === "updated" && event.action.type === "error" && learn(event.action.error)),
  ];
  return () => stops.forEach((stop) => stop());
}
