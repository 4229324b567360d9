import { answer, api } from "@/api/client";
import { Problem } from "@/api/problem";
import type { ActResult } from "@/components/dialog/act-dialog";
import { problemText } from "@/text/problem-text";
import type { Acts, BulkResult } from "../api";

type Named = { id: string; label: string };

/** How many clients one call acts on. */
const bulkCap = 200;

/** Does one thing to clients, some at a time, until each has its result. */
export async function runAct(
  clients: readonly Named[],
  request: Omit<Acts, "ids">,
  done: string,
  report: (results: ActResult[]) => void,
): Promise<ActResult[]> {
  const results: ActResult[] = [];
  for (let at = 0; at < clients.length; at += bulkCap) {
    const part = clients.slice(at, at + bulkCap);
    const ids = part.map(({ id }) => id);
    const answered = await answer(api.POST("/api/v1/clients/bulk", { body: { ids, ...request } })).catch(refused(ids));
    const outcome = new Map(answered.results.map((one) => [one.client_id, one]));
    results.push(...part.map((client) => resultOf(client, outcome.get(client.id), done)));
    report([...results]);
  }
  return results;
}

/** A part of a long list that was refused as a whole: the parts before it are done, so this is a result as well. */
function refused(ids: string[]) {
  return (error: unknown): { results: BulkResult[] } => {
    const problem = error instanceof Problem ? error : new Problem({ status: 0, code: "unexpected" });
    return { results: ids.map((client_id) => ({ client_id, ok: false, code: problem.code, error: problem.message })) };
  };
}

function resultOf({ id, label: name }: Named, one: BulkResult | undefined, done: string): ActResult {
  if (one?.ok) return { id, name, ok: true, text: done };
  const status = one?.code === "internal" ? 500 : 409;
  const problem = new Problem({ status, code: one?.code ?? "unexpected", detail: one?.error });
  return { id, name, ok: false, text: problemText(problem) };
}
