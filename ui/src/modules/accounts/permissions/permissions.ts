import { opens } from "@/api/access";

export const everything = "*";

/** The key that opens every key with the same noun. */
export function familyOf(key: string): string {
  return `${key.slice(0, key.indexOf("."))}.*`;
}

export function isFull(held: readonly string[]): boolean {
  return held.includes(everything);
}

/** How a set of keys opens one key: by full access, by its family, by itself, or not at all. */
export function heldBy(held: readonly string[], key: string): "all" | "family" | "own" | undefined {
  if (isFull(held)) return "all";
  if (held.includes(familyOf(key))) return "family";
  return held.includes(key) ? "own" : undefined;
}

/** Whether everything in `wanted` is also opened by `mine`: nobody grants, or changes, what he lacks himself. */
export function covers(mine: readonly string[], wanted: readonly string[]): boolean {
  return lacking(mine, wanted).length === 0;
}

export function lacking(mine: readonly string[], wanted: readonly string[]): string[] {
  return wanted.filter((key) => (key === everything ? !isFull(mine) : !opens(mine, [key])));
}

/** The set after one key was switched. Taking a key out of a held family leaves the family's other keys, one by one. */
export function withKey(held: readonly string[], key: string, on: boolean, catalogue: readonly string[]): string[] {
  if (on) return tidy([...held, key], catalogue);
  const family = familyOf(key);
  const spread = held.includes(family) ? catalogue.filter((other) => familyOf(other) === family) : [];
  return tidy(
    [...held.filter((own) => own !== family), ...spread].filter((own) => own !== key),
    catalogue,
  );
}

/** The set after a whole family was switched: on swallows its keys, off leaves none of them. */
export function withFamily(
  held: readonly string[],
  family: string,
  on: boolean,
  catalogue: readonly string[],
): string[] {
  const rest = held.filter((own) => own !== family && familyOf(own) !== family);
  return tidy(on ? [...rest, family] : rest, catalogue);
}

/** Sorted, each key once, and keys that a held family opens left out. */
export function tidy(held: readonly string[], catalogue: readonly string[]): string[] {
  if (isFull(held)) return [everything];
  const kept = [...new Set(held)].filter((key) => key === familyOf(key) || !held.includes(familyOf(key)));
  const place = (key: string) => catalogue.findIndex((known) => known === key || familyOf(known) === key);
  return kept.sort((a, b) => place(a) - place(b) || a.localeCompare(b));
}

/** How many keys of the catalogue a set opens. */
export function countOpened(held: readonly string[], catalogue: readonly string[]): number {
  return catalogue.filter((key) => heldBy(held, key) !== undefined).length;
}

/** What an account gains and loses, in keys of the catalogue. */
export function difference(
  before: readonly string[],
  after: readonly string[],
  catalogue: readonly string[],
): { gained: string[]; lost: string[] } {
  const has = (held: readonly string[]) => (key: string) => heldBy(held, key) !== undefined;
  return {
    gained: catalogue.filter((key) => has(after)(key) && !has(before)(key)),
    lost: catalogue.filter((key) => has(before)(key) && !has(after)(key)),
  };
}

export function same(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((key) => b.includes(key));
}

/** The last active account with full access keeps it: without one nobody could give it back. */
export function isLastFull(
  account: { id: string; state: string; permissions: string[] },
  accounts: readonly { id: string; state: string; permissions: string[] }[],
  complete: boolean,
): boolean {
  if (!complete || account.state !== "active" || !isFull(account.permissions)) return false;
  return !accounts.some((other) => other.id !== account.id && other.state === "active" && isFull(other.permissions));
}
