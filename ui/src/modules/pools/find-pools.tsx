import { IconTopologyStar3 } from "@tabler/icons-react";
import i18next from "i18next";
import { answer, api } from "@/api/client";
import type { PaletteHit } from "@/module";
import type { Member, Pool, Summary } from "./api";
import { DrainDialog } from "./member-acts";

const most = 6;
const mostNodes = 3;

/** Pools by their name, and the places of nodes in pools, where a node can be drained. */
export async function findPools(q: string, signal: AbortSignal): Promise<PaletteHit[]> {
  const [named, members] = await Promise.all([
    listed({ q }, signal),
    membersOf(q, signal),
    i18next.loadNamespaces("pools"),
  ]);
  return [...named.map(poolHit), ...members.map(memberHit)];
}

async function listed(query: { q?: string; node_id?: string }, signal: AbortSignal): Promise<Summary[]> {
  return (await answer(api.GET("/api/v1/transit-pools", { signal, params: { query: { ...query, limit: most } } })))
    .items;
}

interface Place {
  pool: Pool;
  member: Member;
}

/** Where the first nodes with such a name are members; nowhere for somebody who may not see nodes. */
async function membersOf(q: string, signal: AbortSignal): Promise<Place[]> {
  const nodes = await answer(api.GET("/api/v1/nodes/brief", { signal, params: { query: { q } } })).then(
    (found) => found.nodes.slice(0, mostNodes),
    () => [],
  );
  const places = nodes.map(async (node) => {
    const pools = await listed({ node_id: node.id }, signal);
    const whole = await Promise.all(pools.map(({ id }) => poolOf(id, signal)));
    return whole.flatMap((pool) =>
      pool.members.filter(({ node_id }) => node_id === node.id).map((member) => ({ pool, member })),
    );
  });
  return (await Promise.all(places)).flat();
}

async function poolOf(id: string, signal: AbortSignal): Promise<Pool> {
  return (await answer(api.GET("/api/v1/transit-pools/{id}", { params: { path: { id } }, signal }))) as Pool;
}

function poolHit(pool: Summary): PaletteHit {
  const t = i18next.getFixedT(null, "pools");
  return {
    id: pool.id,
    group: t("title"),
    name: pool.name,
    detail: t("membersCount", { count: pool.members }),
    path: `/pools/${pool.id}`,
    icon: IconTopologyStar3,
  };
}

function memberHit({ pool, member }: Place): PaletteHit {
  const t = i18next.getFixedT(null, "pools");
  return {
    id: member.id,
    group: t("title"),
    name: member.name,
    detail: pool.name,
    path: `/pools/${pool.id}`,
    icon: IconTopologyStar3,
    runs: [
      {
        act: member.drain ? "drain_end" : "drain",
        detail: pool.name,
        draw: (onClose) => <DrainDialog pool={pool} member={member} onClose={onClose} />,
      },
    ],
  };
}
