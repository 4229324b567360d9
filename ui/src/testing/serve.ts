import { QueryClient } from "@tanstack/react-query";
import { vi } from "vitest";
import { licenseQuery, meQuery } from "@/api/access";
import { beginSession } from "@/api/session";
import { makeLicense, makeMe } from "@/testing/fixtures";

export interface Asked {
  method: string;
  path: string;
  body: unknown;
}

export interface Reply {
  status?: number;
  body?: unknown;
}

const noSuch: Reply = { status: 404, body: { status: 404, code: "not_found" } };

/**
 * Lets views talk to a panel that answers by `METHOD path`, where the path begins after `base`. A list of replies is
 * given one after the other, and its last one again and again.
 */
export const serveUnder =
  (base: string) =>
  (replies: Record<string, Reply | Reply[]>, permissions: string[] = ["*"]) => {
    const asked: Asked[] = [];
    beginSession("ps_test");
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input) => {
      const request = input as Request;
      const text = await request.text();
      const path = new URL(request.url).pathname.replace(base, "");
      asked.push({ method: request.method, path, body: text ? sentAs(text) : undefined });
      return respond(nextOf(replies[`${request.method} ${path}`]));
    });
    const written = () => asked.filter(({ method }) => method !== "GET");
    return { asked, written, queries: queriesOf(permissions) };
  };

/** Files are sent as they are. */
function sentAs(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function nextOf(found: Reply | Reply[] | undefined): Reply {
  if (!Array.isArray(found)) return found ?? noSuch;
  return (found.length > 1 ? found.shift() : found[0]) ?? noSuch;
}

function respond({ status = 200, body }: Reply) {
  return new Response(body === undefined ? null : JSON.stringify(body), {
    status,
    headers: { "Content-Type": status >= 400 ? "application/problem+json" : "application/json" },
  });
}

/** Data of a person who is signed in with these permissions, under an active license. */
function queriesOf(permissions: string[]) {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  queries.setQueryDefaults(["accounts"], { staleTime: Infinity });
  queries.setQueryDefaults(["license"], { staleTime: Infinity });
  queries.setQueryData(meQuery.queryKey, makeMe(permissions));
  queries.setQueryData(licenseQuery.queryKey, makeLicense());
  return queries;
}

export function pageOf<Row>(...items: Row[]): Reply {
  return { body: { items, next_cursor: null, total: items.length } };
}
