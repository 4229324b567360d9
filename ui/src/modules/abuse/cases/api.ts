import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { components } from "@/api/schema.gen";
import { everyPage } from "@/components/table/every-page";
import { listQuery } from "@/components/table/list-query";
import type { Sentence } from "../shared/sentence";

export const caseStates = ["open", "actioned", "dismissed", "expired"] as const;
export type CaseState = (typeof caseStates)[number];

export const steps = ["none", "monitor", "warn", "soft_block", "temp_block", "hard_block"] as const;
export type Step = (typeof steps)[number];

type Schemas = components["schemas"];

/** A case as a line of the list. */
export type CaseLine = Omit<Schemas["CasesLine"], "user" | "why"> & { user: Schemas["CasesUser"]; why: Sentence };
export type Part = Schemas["ScorePart"];
export type Finding = Schemas["ScoreFinding"];
export type Note = Schemas["CasesNote"];

/** All of a case. */
export type Case = CaseLine & Pick<Schemas["CasesCase"], "actions" | "breakdown" | "findings" | "incomplete" | "notes">;

export interface CaseFilter {
  state?: CaseState | undefined;
  recommended?: Step | undefined;
  user_ref?: string | undefined;
  node_id?: string | undefined;
  min_score?: number | undefined;
  q?: string | undefined;
}

const readPage = async (query: CaseFilter & { sort: string; limit: number; cursor?: string }, signal?: AbortSignal) => {
  const page = await answer(api.GET("/api/v1/abuse/cases", { params: { query }, signal }));
  return { ...page, items: page.items as CaseLine[] };
};

export const casesQuery = (filter: CaseFilter, sort: string) =>
  listQuery<CaseLine>(["abuse", "cases", "list", filter, sort], (page, signal) =>
    readPage({ ...filter, ...page, sort }, signal),
  );

/** All cases that match, for a selection of everything. */
export const everyCase = (filter: CaseFilter): Promise<CaseLine[]> =>
  everyPage((cursor) => readPage({ ...filter, sort: "opened_at", limit: 200, ...(cursor && { cursor }) }));

/** How many cases wait for somebody. */
export const openCases = async (): Promise<number> =>
  (await answer(api.GET("/api/v1/abuse/cases", { params: { query: { state: "open", limit: 1 } } }))).total;

/** How often a case is read again while nodes are asked. */
const pace = 5_000;

export const caseQuery = (id: string) =>
  queryOptions({
    queryKey: ["abuse", "cases", "one", id],
    queryFn: async ({ signal }) =>
      (await answer(api.GET("/api/v1/abuse/cases/{id}", { params: { path: { id } }, signal }))) as Case,
    // Nodes answer by themselves, and say so by an event; this is for a connection that lost it.
    refetchInterval: ({ state }) => (state.data?.actions.some((act) => act.state === "pending") ? pace : false),
  });

/** What people change of a case. */
export interface CaseChange {
  state?: "open" | "dismissed";
  note?: string;
  whitelist_until?: string;
}

export const changeCase = ({ id, revision }: Pick<CaseLine, "id" | "revision">, change: CaseChange) =>
  answer(api.PATCH("/api/v1/abuse/cases/{id}", { params: { path: { id } }, body: { ...change, revision } }));

export function useNote(id: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (text: string) =>
      answer(api.POST("/api/v1/abuse/cases/{id}/notes", { params: { path: { id } }, body: { text } })),
    onSettled: () => queries.invalidateQueries({ queryKey: ["abuse", "cases"] }),
  });
}
