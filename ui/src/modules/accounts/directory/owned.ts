import { isProblem } from "@/api/problem";

/** What an account owns: how much in all, and some of it by name for those who may see everything. */
export interface Owned {
  total: number;
  names: string[];
}

/** Reads what stands in the way of deleting an account; undefined when the refusal is another one. */
export function ownedBy(error: unknown): Owned | undefined {
  if (!isProblem(error) || error.code !== "account_in_use") return undefined;
  const { owned, owned_total: total } = error.document as { owned?: { name: string }[]; owned_total?: number };
  const names = (owned ?? []).map((thing) => thing.name);
  return { total: total ?? names.length, names };
}
