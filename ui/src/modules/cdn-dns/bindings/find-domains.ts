import { IconWorld } from "@tabler/icons-react";
import { answer, api } from "@/api/client";
import type { PaletteHit } from "@/module";

const shown = 5;

/** Host names for the palette; each opens its binding. */
export async function findDomains(q: string, signal: AbortSignal): Promise<PaletteHit[]> {
  const page = await answer(api.GET("/api/v1/node-domains", { params: { query: { q, limit: shown } }, signal }));
  const group = document.documentElement.lang === "ru" ? "Домены" : "Domains";
  return page.items.map(({ id, hostname }) => ({
    id,
    group,
    name: hostname,
    path: "/domains",
    search: { open: id },
    icon: IconWorld,
  }));
}
