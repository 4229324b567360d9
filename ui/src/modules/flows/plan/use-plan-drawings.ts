import { useQuery } from "@tanstack/react-query";
import type { Drawing } from "../drawing/drawing";
import { draftQuery, versionQuery, type Flow, type Plan } from "../shared/api";

/** The drawings in which a plan's blocks can be found: the draft it was compiled from, then the installed version. */
export function usePlanDrawings(flow: Flow, plan: Pick<Plan, "revision">): (Drawing | undefined)[] {
  const draft = useQuery({ ...draftQuery(flow.id), staleTime: 30_000 }).data;
  const installed = useQuery(versionQuery(flow.id, flow.installed_version_id)).data;
  return [draft?.revision === plan.revision ? draft.graph : undefined, installed?.graph, draft?.graph];
}
