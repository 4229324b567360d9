import { covers, everything, familyOf, tidy } from "./permissions";

/** Sets of permissions to begin from, for what people are usually made for. */
export const roles = ["viewer", "operator", "auditor", "manager", "full"] as const;
export type Role = (typeof roles)[number];

const network = ["nodes", "connection_units"];

/** What a role holds of the permissions that this panel has. */
export function roleKeys(role: Role, catalogue: readonly string[]): string[] {
  const nounOf = (key: string) => key.slice(0, key.indexOf("."));
  const families = (fits: (noun: string) => boolean) => catalogue.filter((key) => fits(nounOf(key))).map(familyOf);
  const views = catalogue.filter((key) => key.endsWith(".view"));
  switch (role) {
    case "viewer":
      return tidy(
        views.filter((key) => !["accounts", "audit"].includes(nounOf(key))),
        catalogue,
      );
    case "operator":
      return tidy([...views.filter((key) => nounOf(key) !== "accounts"), ...families(isNetwork)], catalogue);
    case "auditor":
      return tidy(views, catalogue);
    case "manager":
      return tidy(
        families((noun) => noun !== "accounts"),
        catalogue,
      );
    case "full":
      return [everything];
  }
}

function isNetwork(noun: string): boolean {
  return network.includes(noun);
}

/** The part of a set that somebody may grant, and how many keys stay behind. */
export function grantable(
  wanted: readonly string[],
  mine: readonly string[],
  catalogue: readonly string[],
): { held: string[]; left: number } {
  const spread = wanted.flatMap((key) => {
    if (covers(mine, [key])) return [key];
    return catalogue.filter((one) => key === everything || familyOf(one) === key || one === key);
  });
  const held = spread.filter((key) => covers(mine, [key]));
  return { held: tidy(held, catalogue), left: new Set(spread).size - new Set(held).size };
}
