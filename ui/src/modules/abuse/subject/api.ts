import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { components } from "@/api/schema.gen";

type Schemas = components["schemas"];
export type Diversity = Schemas["ViewsDiversity"];
export type Network = Schemas["ViewsNetwork"];
export type DiversityWindow = Schemas["ViewsDiversityWindow"];

/** A week: what was usual before the last day tells what is new in it. */
const hours = 168;

export const diversityQuery = (ref: string) =>
  queryOptions({
    queryKey: ["abuse", "diversity", ref],
    queryFn: ({ signal }): Promise<Diversity> =>
      answer(
        api.GET("/api/v1/abuse/users/{user_ref}/diversity", {
          params: { path: { user_ref: ref }, query: { hours } },
          signal,
        }),
      ),
    staleTime: 60_000,
  });
