import { answer, api } from "@/api/client";
import { Problem } from "@/api/problem";
import type { ActResult } from "@/components/dialog/act-dialog";
import { problemText } from "@/text/problem-text";
import type { BulkRequest, BulkResult } from "../shared/api";
import type { Operation } from "../shared/types";

type Named = { id: string; name: string };
type Words = (key: string) => string;

const bulkCap = 200;
const pollEvery = 1_000;
const followFor = 90_000;

/** Does one thing to nodes and follows what goes on there, until each has its result. */
export async function runAct(
  nodes: readonly Named[],
  request: BulkRequest,
  t: Words,
  report: (results: ActResult[]) => void,
): Promise<ActResult[]> {
  const names = new Map(nodes.map((node) => [node.id, node.name]));
  const state = new Map(nodes.map(({ id, name }) => [id, { id, name, ok: undefined, text: "" } as ActResult]));
  const results = () => [...state.values()];
  report(results());
  const going: { id: string; operation: string }[] = [];
  for (let at = 0; at < nodes.length; at += bulkCap) {
    const ids = nodes.slice(at, at + bulkCap).map((node) => node.id);
    const answered = await answer(api.POST("/api/v1/nodes/bulk", { body: { ids, ...request } })).catch(failedAll(ids));
    for (const one of answered.results) {
      const operation = one.ok ? one.operation_id : null;
      if (operation) going.push({ id: one.node_id, operation });
      state.set(one.node_id, resultOf(one, names.get(one.node_id) ?? one.node_id, operation !== null, t));
    }
    report(results());
  }
  await Promise.all(
    going.map(async ({ id, operation }) => {
      state.set(id, { ...state.get(id)!, ...(await ended(id, operation, t)) });
      report(results());
    }),
  );
  return results();
}

/** A part of a long list that was refused as a whole: the parts before it are done, so this is a result as well. */
function failedAll(ids: string[]) {
  return (error: unknown): { results: BulkResult[] } => {
    const problem = error instanceof Problem ? error : new Problem({ status: 0, code: "unexpected" });
    const failed = { ok: false, code: problem.code, error: problem.message, operation_id: null };
    return { results: ids.map((node_id) => ({ node_id, ...failed })) };
  };
}

function resultOf(result: BulkResult, name: string, goesOn: boolean, t: Words): ActResult {
  const { node_id: id, ok } = result;
  if (ok) return { id, name, ok: goesOn ? undefined : true, text: t(goesOn ? "act.sent" : "act.done") };
  if (result.code === "internal") return { id, name, ok: false, text: t("bulk.internal") };
  return {
    id,
    name,
    ok: false,
    text: problemText(new Problem({ status: 409, code: result.code, detail: result.error })),
  };
}

async function ended(nodeId: string, operationId: string, t: Words): Promise<Pick<ActResult, "ok" | "text">> {
  const params = { path: { id: nodeId, operation_id: operationId } };
  for (let waited = 0; waited < followFor; waited += pollEvery) {
    await new Promise((resolve) => setTimeout(resolve, pollEvery));
    const call = answer(api.GET("/api/v1/nodes/{id}/operations/{operation_id}", { params }));
    const operation = await call.catch((): Operation | undefined => undefined);
    if (operation?.state === "succeeded") return { ok: true, text: t("act.done") };
    if (operation?.state === "failed" || operation?.state === "cancelled") {
      const { code, error } = operation;
      return { ok: false, text: problemText(new Problem({ status: 409, code, detail: error || t("act.failed") })) };
    }
  }
  return { ok: false, text: t("act.noAnswer") };
}
