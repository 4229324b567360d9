import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { components } from "@/api/schema.gen";
import type { PastKnown } from "@/module";
import type { FleetCell } from "../shared/fleet";

type Told = components["schemas"]["FiguresMoment"];

/** The fleet as it was. The description cannot say that there may be no figures. */
export type FleetMoment = Omit<Told, "cells" | "figures"> & { cells: FleetCell[]; figures: Told["figures"] | null };

export const momentQuery = (at: string) =>
  queryOptions({
    queryKey: ["nodes", "moment", at],
    queryFn: async ({ signal }) =>
      (await answer(api.GET("/api/v1/nodes/moment", { params: { query: { at } }, signal }))) as unknown as FleetMoment,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    gcTime: 60_000,
  });

export function useKnown(at: string): PastKnown {
  const moment = useQuery(momentQuery(at)).data;
  const of = (iso: string | null | undefined) => (iso ? Date.parse(iso) : undefined);
  return { earliest: of(moment?.earliest), earlier: of(moment?.earlier), later: of(moment?.later) };
}
