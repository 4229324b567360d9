import { IconPlugConnected } from "@tabler/icons-react";
import i18next from "i18next";
import { answer, api } from "@/api/client";
import type { PaletteHit } from "@/module";
import type { Connection } from "./api";
import { glyphs } from "./causes";

const most = 6;

/** Connections whose label or address has these letters. There are few, so that the first page has them all. */
export async function findConnections(q: string, signal: AbortSignal): Promise<PaletteHit[]> {
  const query = { limit: 200, sort: "label" } as const;
  const [{ items }] = await Promise.all([
    answer(api.GET("/api/v1/proxypanel/connections", { params: { query }, signal })),
    i18next.loadNamespaces("proxypanel"),
  ]);
  const wanted = q.toLowerCase();
  return items
    .filter(({ label, base_url }) => `${label}\n${base_url}`.toLowerCase().includes(wanted))
    .slice(0, most)
    .map(hitOf);
}

/** Whether there is a proxy panel at all. */
export async function anyConnection(signal: AbortSignal): Promise<boolean> {
  const query = { limit: 1 } as const;
  return (await answer(api.GET("/api/v1/proxypanel/connections", { params: { query }, signal }))).items.length > 0;
}

function hitOf({ id, label, base_url, state }: Pick<Connection, "id" | "label" | "base_url" | "state">): PaletteHit {
  const t = i18next.getFixedT(null, "proxypanel");
  return {
    id,
    group: t("title"),
    name: label,
    detail: base_url,
    path: `/proxypanel/${id}`,
    icon: IconPlugConnected,
    status: { kind: glyphs[state], text: t(`state.${state}`) },
  };
}
