import type { LicenseStatus } from "@/api/access";

export type FeatureArea = "network" | "reliability" | "protection";

const areas: Record<string, FeatureArea> = {
  flows: "network",
  cdndns: "network",
  geo: "network",
  hosting: "network",
  proxypanel: "network",
  health: "reliability",
  backups: "reliability",
  statuspage: "reliability",
  abuse: "protection",
  notifications: "protection",
  assistant: "protection",
};

export interface FeatureItem {
  key: string;
  open: boolean;
}

/** Features of the plan by area; one that this page does not know stands in the last. */
export function featuresByArea(features: LicenseStatus["features"]): Record<FeatureArea, FeatureItem[]> {
  const groups: Record<FeatureArea, FeatureItem[]> = { network: [], reliability: [], protection: [] };
  const add = (open: boolean) => (key: string) => groups[areas[key] ?? "protection"].push({ key, open });
  features.enabled.filter((key) => key !== "*").forEach(add(true));
  features.blocked.forEach(add(false));
  return groups;
}
