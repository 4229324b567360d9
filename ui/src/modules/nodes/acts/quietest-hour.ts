import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { Series } from "../shared/types";

const hour = 3_600_000;

/** The hour of the last day with the fewest open connections on a node, when an interruption would hit fewest. */
export const quietestHourQuery = (nodeId: string | undefined) =>
  queryOptions({
    queryKey: ["nodes", "quietest-hour", nodeId],
    enabled: nodeId !== undefined,
    retry: false,
    staleTime: hour,
    queryFn: async ({ signal }) => {
      const now = Date.now();
      const query = {
        metric: "tcp_established" as const,
        from: new Date(now - 24 * hour).toISOString(),
        to: new Date(now).toISOString(),
      };
      const params = { path: { id: nodeId! }, query };
      return quietestHour(await answer(api.GET("/api/v1/nodes/{id}/metrics", { params, signal })));
    },
  });

/** Half a day of readings is too little to say when a day is quiet. */
const fewestHours = 12;

export function quietestHour(series: Series): { at: string; connections: number } | null {
  const hours = new Map<number, { sum: number; count: number }>();
  for (const point of series.points ?? []) {
    const start = Math.floor(Date.parse(point.at) / hour) * hour;
    const known = hours.get(start) ?? { sum: 0, count: 0 };
    hours.set(start, { sum: known.sum + point.value, count: known.count + 1 });
  }
  if (hours.size < fewestHours) return null;
  const means = [...hours].map(([start, { sum, count }]) => ({ start, connections: sum / count }));
  const least = means.reduce((a, b) => (b.connections < a.connections ? b : a));
  return { at: new Date(least.start).toISOString(), connections: least.connections };
}
