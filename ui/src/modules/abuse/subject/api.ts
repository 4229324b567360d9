import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { components } from "@/api/schema.gen";

type Schemas = components["schemas"];
export type Diversity = Schemas["ViewsDiversity"];
export type Network = Schemas["ViewsNetwork"];
export type DiversityWindow = Schemas["ViewsDiversityWindow"];

/** The last day is told finely; the week before says what is usual, so that what is new in it is known. */
const spans = { day: 24, week: 168 } as const;

export const diversityQuery = (ref: string, span: keyof typeof spans) =>
  queryOptions({
    queryKey: ["abuse", "diversity", ref, span],
    queryFn: ({ signal }): Promise<Diversity> =>
      answer(
        api.GET("/api/v1/abuse/users/{user_ref}/diversity", {
          params: { path: { user_ref: ref }, query: { hours: spans[span] } },
          signal,
        }),
      ),
    staleTime: 60_000,
  });
