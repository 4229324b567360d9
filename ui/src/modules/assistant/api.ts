import {
  infiniteQueryOptions,
  queryOptions,
  useMutation,
  useQueryClient,
  type QueryClient,
} from "@tanstack/react-query";
import { answer, api, hiddenApi } from "@/api/client";
import type { components } from "@/api/hidden.gen";
import type { SettingsCalls } from "@/api/settings-document";
import type { Language } from "@/text/format";

type Schemas = components["schemas"];

/** The description cannot say that a reference may be null; the panel sends null for what is not there. */
type Nullable<Type, Keys extends keyof Type> = Omit<Type, Keys> & { [Key in Keys]: Type[Key] | null };

export type Helper = Omit<Schemas["AssistantHelper"], "steps"> & { steps: HelperStep[] };
export type HelperStep = Nullable<Schemas["AssistantHelper"]["steps"][number], "request">;
export type State = Omit<Schemas["AssistantState"], "helper"> & { helper: Helper | null };
export type Question = Nullable<Schemas["AssistantQuestion"], "error" | "finished_at">;
export type Answer = Question["answer"];
export type Paragraph = Answer["paragraphs"][number];
export type ReadRoute = Answer["read"][number];
export type RefusedCall = Answer["refused"][number];
export type Proposal = Answer["proposals"][number];
export type Request = Proposal["request"];

export type ModelSettings = Schemas["AssistantShownSettings"];
export type ModelChange = Schemas["AssistantSettings"];
export type Preview = Schemas["AssistantPreview"];

const root = "/api/v1/assistant";
const stateKey = ["assistant", "state"];
const questionsKey = ["assistant", "questions"];

/** What the assistant is and may do now, with questions that fit the page. */
export const stateQuery = (page: string, language: Language) =>
  queryOptions({
    queryKey: [...stateKey, page, language],
    queryFn: async ({ signal }): Promise<State> =>
      (await answer(hiddenApi.GET(root, { params: { query: { page, language } }, signal }))) as State,
  });

/** The person's own questions, newest first. */
export const questionsQuery = infiniteQueryOptions({
  queryKey: questionsKey,
  initialPageParam: undefined as string | undefined,
  queryFn: async ({ pageParam, signal }) => {
    const query = { limit: 20, cursor: pageParam };
    const page = await answer(hiddenApi.GET(`${root}/questions`, { params: { query }, signal }));
    return { ...page, items: page.items as Question[] };
  },
  getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
});

export interface NewQuestion {
  text: string;
  language: Language;
  page: string;
}

/** Asks; the question stands on the sheet as soon as the panel has it. */
export function useAsk() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (body: NewQuestion): Promise<Question> =>
      (await answer(hiddenApi.POST(`${root}/questions`, { body }))) as Question,
    onSuccess: (asked) => keepQuestion(queries, asked),
  });
}

type Pages = { pages: { items: Question[] }[]; pageParams: unknown[] };

/** Puts what is known of a question into the list, in its place or as the newest. */
export function keepQuestion(queries: QueryClient, question: Question) {
  queries.setQueryData(questionsKey, (known: Pages | undefined) => {
    if (!known) return known;
    const at = known.pages.findIndex(({ items }) => items.some(({ id }) => id === question.id));
    const pages = known.pages.map((page, index) => {
      if (index === at) return { ...page, items: page.items.map((one) => (one.id === question.id ? question : one)) };
      return at < 0 && index === 0 ? { ...page, items: [question, ...page.items] } : page;
    });
    return { ...known, pages };
  });
}

export function useCancelAnswer() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (id: string): Promise<Question> => {
      const params = { path: { id } };
      return (await answer(hiddenApi.POST(`${root}/questions/{id}/cancel`, { params }))) as Question;
    },
    onSuccess: (question) => keepQuestion(queries, question),
  });
}

/** Removes one question with its answer, or all of one's own. */
export function useForget() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (id?: string) =>
      id === undefined
        ? answer(hiddenApi.DELETE(`${root}/questions`))
        : answer(hiddenApi.DELETE(`${root}/questions/{id}`, { params: { path: { id } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: questionsKey }),
  });
}

/**
 * Confirms a proposal, then sends its request to the ordinary API as the person: the panel checks the person's own
 * rights there. A request that was refused may be sent again; the proposal stays confirmed.
 */
export function useConfirm({ id, request }: Proposal) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (again: boolean) => {
      if (!again) await answer(hiddenApi.POST(`${root}/proposals/{id}/confirm`, { params: { path: { id } } }));
      await send(request);
    },
    onSettled: () => queries.invalidateQueries(),
  });
}

export function useReject(id: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => answer(hiddenApi.POST(`${root}/proposals/{id}/reject`, { params: { path: { id } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: questionsKey }),
  });
}

type Sending = (method: string, path: string, init: { body?: unknown }) => Promise<{ response: globalThis.Response }>;

/** Sends what a proposal or a step of the set-up says, by the way that every screen goes. */
export function send({ method, path, body }: { method: string; path: string; body?: unknown }) {
  const request = api.request as unknown as Sending;
  return answer(request(method.toLowerCase(), path, body === null ? {} : { body }));
}

/** Begins, checks and ends the one session that sets up notifications. */
export function useHelper() {
  const queries = useQueryClient();
  const settled = { onSettled: () => queries.invalidateQueries({ queryKey: stateKey }) };
  const begin = useMutation({
    mutationFn: (language: Language) => answer(hiddenApi.POST(`${root}/helper`, { body: { language } })),
    ...settled,
  });
  const check = useMutation({
    mutationFn: (delivered: boolean) => answer(hiddenApi.POST(`${root}/helper/check`, { body: { delivered } })),
    ...settled,
  });
  const end = useMutation({
    mutationFn: (id: string) => answer(hiddenApi.POST(`${root}/helper/cancel`, { body: { id } })),
    ...settled,
  });
  return { begin, check, end };
}

export const modelCalls: SettingsCalls<ModelSettings, ModelChange & Record<string, unknown>> = {
  read: (signal) => answer(hiddenApi.GET(`${root}/settings`, { signal })),
  write: ({ revision, settings: { key, ...settings } }) => {
    const typed = key?.trim() ? { key: key.trim() } : {};
    return answer(hiddenApi.PUT(`${root}/settings`, { body: { revision, settings: { ...settings, ...typed } } }));
  },
};

/** What would leave the panel if this were asked. */
export const previewQuery = (body: NewQuestion) =>
  queryOptions({
    queryKey: ["assistant", "preview", body],
    queryFn: ({ signal }): Promise<Preview> => answer(hiddenApi.POST(`${root}/preview`, { body, signal })),
  });
