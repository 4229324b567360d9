import type { components } from "@/api/schema.gen";
import { areas, type Area } from "@/module";
import { familyOf } from "./permissions";

export type Permission = components["schemas"]["AccountsPermission"];

export interface Family {
  /** The key of the family; undefined where a single key would only stand beside its own double. */
  key: string | undefined;
  permissions: Permission[];
}

/**
 * The catalogue in the order of the navigation: areas, families, and in each reading before writing. Modules say in
 * which area a family stands (`areaOf`); one of which nobody says it is a matter of the system.
 */
export function byArea(
  catalogue: readonly Permission[],
  areaOf: Readonly<Record<string, Area>>,
): { area: Area; families: Family[] }[] {
  const families = new Map<string, Permission[]>();
  for (const item of catalogue) families.set(familyOf(item.key), [...(families.get(familyOf(item.key)) ?? []), item]);
  const found = [...families].map(([key, permissions]) => ({
    area: areaOf[key.slice(0, -2)] ?? "system",
    key: permissions.length > 1 ? key : undefined,
    permissions: permissions.sort((a, b) => Number(b.key.endsWith(".view")) - Number(a.key.endsWith(".view"))),
  }));
  return areas
    .map((area) => ({ area, families: found.filter((family) => family.area === area) }))
    .filter((group) => group.families.length > 0);
}

/** Groups that hold what is looked for, in a key or in its words. */
export function matching(
  groups: ReturnType<typeof byArea>,
  text: string,
  words: (permission: Permission) => string,
): ReturnType<typeof byArea> {
  const needle = text.trim().toLocaleLowerCase();
  if (!needle) return groups;
  const fits = (permission: Permission) =>
    `${permission.key} ${words(permission)}`.toLocaleLowerCase().includes(needle);
  return groups
    .map((group) => ({
      ...group,
      families: group.families
        .map((family) => ({ ...family, permissions: family.permissions.filter(fits) }))
        .filter((family) => family.permissions.length > 0),
    }))
    .filter((group) => group.families.length > 0);
}
