import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { Node, Series } from "../shared/types";

const hour = 3_600_000;

/** Of more nodes than this the hour is not worked out: each is a question of its own. */
const mostAsked = 12;

type Counted = "sessions" | "tcp_established";

/** The hour of the last day with the fewest open on all of these nodes, when an interruption would hit fewest. */
export const quietestHourQuery = (nodes: readonly Pick<Node, "id" | "metrics">[]) => {
  const ids = nodes.map((node) => node.id);
  const metric: Counted = nodes.every((node) => node.metrics && node.metrics.sessions !== null)
    ? "sessions"
    : "tcp_established";
  return queryOptions({
    queryKey: ["nodes", "quietest-hour", metric, ...ids],
    enabled: ids.length > 0 && ids.length <= mostAsked,
    retry: false,
    staleTime: hour,
    queryFn: async ({ signal }) => {
      const now = Date.now();
      const query = { metric, from: new Date(now - 24 * hour).toISOString(), to: new Date(now).toISOString() };
      const all = await Promise.all(
        ids.map((id) => answer(api.GET("/api/v1/nodes/{id}/metrics", { params: { path: { id }, query }, signal }))),
      );
      const quietest = quietestHour(all);
      return quietest && { ...quietest, metric };
    },
  });
};

/** Half a day of readings is too little to say when a day is quiet. */
const fewestHours = 12;

/** Hours that all nodes have readings of are compared by the sum of their means. */
export function quietestHour(all: readonly Pick<Series, "points">[]): { at: string; open: number } | null {
  const [first = new Map<number, number>(), ...others] = all.map(meansByHour);
  const shared = [...first].filter(([start]) => others.every((means) => means.has(start)));
  if (shared.length < fewestHours) return null;
  const sums = shared.map(([start, open]) => ({
    start,
    open: others.reduce((sum, means) => sum + means.get(start)!, open),
  }));
  const least = sums.reduce((a, b) => (b.open < a.open ? b : a));
  return { at: new Date(least.start).toISOString(), open: least.open };
}

function meansByHour({ points }: Pick<Series, "points">): Map<number, number> {
  const hours = new Map<number, { sum: number; count: number }>();
  for (const point of points ?? []) {
    const start = Math.floor(Date.parse(point.at) / hour) * hour;
    const known = hours.get(start) ?? { sum: 0, count: 0 };
    hours.set(start, { sum: known.sum + point.value, count: known.count + 1 });
  }
  return new Map([...hours].map(([start, { sum, count }]) => [start, sum / count]));
}
