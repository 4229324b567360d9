import { answer, api } from "@/api/client";
import type { PaletteHit } from "@/module";

export async function findAccounts(q: string, signal: AbortSignal): Promise<PaletteHit[]> {
  const page = await answer(api.GET("/api/v1/accounts", { params: { query: { q, limit: 5 } }, signal }));
  const group = document.documentElement.lang === "ru" ? "Учётные записи" : "Accounts";
  return page.items.map((account) => ({
    id: account.id,
    group,
    name: account.username,
    path: `/accounts/${account.id}`,
  }));
}
