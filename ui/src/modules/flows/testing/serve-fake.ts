import { QueryClient } from "@tanstack/react-query";
import { vi } from "vitest";
import { meQuery } from "@/api/access";
import { beginSession } from "@/api/session";
import { makeMe } from "@/testing/fixtures";
import { answerFake, type FakeState } from "./fake-panel";

export interface Asked {
  method: string;
  /** Path and query. */
  path: string;
  body: unknown;
}

/** Lets the pages of a test talk to a fake panel, as somebody with these permissions; gives what was asked of it. */
export function serveFake(state: FakeState) {
  const asked: Asked[] = [];
  beginSession("ps_test");
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input) => {
    const request = input as Request;
    const text = await request.text();
    const body: unknown = text ? JSON.parse(text) : undefined;
    const { pathname, search } = new URL(request.url);
    asked.push({ method: request.method, path: pathname + search, body });
    const reply = answerFake(state, request.method, request.url, body, Object.fromEntries(request.headers));
    return new Response(reply.body === undefined ? null : JSON.stringify(reply.body), {
      status: reply.status,
      headers: { "Content-Type": reply.status >= 400 ? "application/problem+json" : "application/json" },
    });
  });
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  queries.setQueryDefaults(["accounts"], { staleTime: Infinity });
  queries.setQueryData(meQuery.queryKey, makeMe(state.permissions));
  const written = () => asked.filter(({ method }) => method !== "GET");
  return { asked, written, queries };
}
