import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { components } from "@/api/schema.gen";
import type { ChartSeries } from "@/components/chart/chart-data";
import { signalKinds, type SignalKind } from "../shared/kinds";

type Schemas = components["schemas"];
export type Overview = Schemas["ViewsOverview"];
export type Bar = Schemas["ViewsBar"];

const pace = 60_000;

/** How abuse protection stands; the panel counts signals once a minute. */
export const overviewQuery = queryOptions({
  queryKey: ["abuse", "overview"],
  queryFn: ({ signal }): Promise<Overview> => answer(api.GET("/api/v1/abuse/overview", { signal })),
  refetchInterval: pace,
});

/** How many kinds have a line of their own. */
const most = 3;

/** The most frequent kinds of signals, the most frequent first, each with how many there were at each time. */
export function frequentKinds(bars: readonly Bar[]): { kind: SignalKind; values: number[] }[] {
  const of = (bar: Bar, kind: SignalKind) => bar.kinds.find((one) => one.kind === kind)?.signals ?? 0;
  const sum = (values: number[]) => values.reduce((all, value) => all + value, 0);
  return signalKinds
    .map((kind) => ({ kind, values: bars.map((bar) => of(bar, kind)) }))
    .filter(({ values }) => sum(values) > 0)
    .sort((a, b) => sum(b.values) - sum(a.values))
    .slice(0, most);
}

export const lineColors: ChartSeries["color"][] = [1, 3, 5, 2];
