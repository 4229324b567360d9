import createClient, { type Middleware } from "openapi-fetch";
import type { paths as HiddenPaths } from "./hidden.gen";
import { problemOf, unreachable } from "./problem";
import type { paths } from "./schema.gen";
import { learnServerTime } from "./server-clock";
import { markSessionEnded, session } from "./session";

const withSession: Middleware = {
  onRequest({ request }) {
    const { token, ended } = session.getState();
    if (ended && !isOpen(request.url)) return endedAnswer();
    if (token) request.headers.set("Authorization", `Bearer ${token}`);
    return request;
  },
  onResponse({ response }) {
    learnServerTime(response.headers.get("Date"));
  },
};

/** What works without a session: signing in again, and the state of the installation. */
function isOpen(url: string): boolean {
  const { pathname } = new URL(url);
  return ["/api/v1/auth/", "/api/v1/setup/", "/health"].some((open) => pathname.startsWith(open));
}

/** The panel would refuse, and write each refusal into the journal; the dialog already asks to sign in again. */
function endedAnswer(): Response {
  return Response.json({ status: 401, code: "session_expired" }, { status: 401 });
}

/** The typed client of the panel's API. Use `answer` to get the body or a thrown Problem. */
export const api = clientOf<paths>();

/** The same for operations that are for these screens alone and stand in no published description. */
export const hiddenApi = clientOf<HiddenPaths>();

function clientOf<Paths extends object>() {
  const client = createClient<Paths>({
    baseUrl: window.location.origin,
    credentials: "omit",
    cache: "no-store",
    fetch: (request: Request) => globalThis.fetch(request),
  });
  client.use(withSession);
  return client;
}

/** The body of a call that succeeded; every refusal is thrown as a Problem. */
export async function answer<T>(call: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  let result;
  try {
    result = await call;
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw unreachable();
  }
  if (result.response.ok) return result.data as T;
  const problem = problemOf(result.response, result.error);
  if (problem.endsSession) markSessionEnded();
  throw problem;
}
