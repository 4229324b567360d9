import type { LicenseStatus } from "@/api/access";
import type { Area } from "@/module";

export type FeatureArea = Exclude<Area, "system">;

export interface FeatureItem {
  key: string;
  open: boolean;
}

/** Features of the plan by area; one without an area of its own stands in the last, "protection and system". */
export function featuresByArea(
  features: LicenseStatus["features"],
  areas: Readonly<Record<string, Area>>,
): Record<FeatureArea, FeatureItem[]> {
  const groups: Record<FeatureArea, FeatureItem[]> = { network: [], reliability: [], protection: [] };
  const add = (open: boolean) => (key: string) => {
    const area = areas[key] ?? "system";
    groups[area === "system" ? "protection" : area].push({ key, open });
  };
  features.enabled.filter((key) => key !== "*").forEach(add(true));
  features.blocked.forEach(add(false));
  return groups;
}
