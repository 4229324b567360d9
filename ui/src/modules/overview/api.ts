import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { components } from "@/api/schema.gen";
import { serverNow } from "@/api/server-clock";

export type Job = components["schemas"]["OperationsOperation"];
type Flow = components["schemas"]["FlowsFlow"];

/** What was installed of a flow, and how that ended. */
export interface Applied {
  id: string;
  name: string;
  state: Flow["state"];
  version: number | null;
  at: string | null;
  bypassed: number;
  last_apply_id: string | null;
}

const shownApplies = 6;
const shownJobs = 3;
const shownWork = 6;
const lately = 3_600_000;

/** The flows that were installed last. */
export const appliesQuery = queryOptions({
  queryKey: ["overview", "applies"],
  queryFn: async ({ signal }): Promise<Applied[]> => {
    // An installation changes a flow, so the last installed are among the last changed.
    const query = { sort: "-updated_at", limit: 50 };
    const { items } = await answer(api.GET("/api/v1/connection-units", { params: { query }, signal }));
    return lastApplied((items ?? []).map(appliedOf));
  },
});

export function lastApplied(flows: readonly Applied[]): Applied[] {
  const tried = flows.filter((flow) => flow.at ?? flow.last_apply_id);
  return tried.sort((a, b) => (b.at ?? "").localeCompare(a.at ?? "")).slice(0, shownApplies);
}

function appliedOf(flow: Flow): Applied {
  const { id, name, state, installed_at: at, last_apply_id } = flow;
  return {
    id,
    name,
    state,
    at,
    last_apply_id,
    version: flow.installed_version_number,
    bypassed: flow.bypassed_checks?.length ?? 0,
  };
}

/** Work that goes on, and what ended within the last hour. */
export const jobsQuery = queryOptions({
  queryKey: ["overview", "jobs"],
  queryFn: async ({ signal }): Promise<Job[]> => {
    const { items } = await answer(api.GET("/api/v1/operations", { params: { query: { limit: 10 } }, signal }));
    return recentJobs(items ?? [], serverNow());
  },
});

export function recentJobs(jobs: readonly Job[], now: number): Job[] {
  const recent = jobs.filter((job) => job.finished_at === null || now - Date.parse(job.finished_at) < lately);
  return recent.sort((a, b) => Number(b.finished_at === null) - Number(a.finished_at === null)).slice(0, shownJobs);
}

/** One line of the work of the panel: a job, or the installation of a flow. */
export type Work = { id: string; job: Job } | { id: string; flow: Applied };

/** Jobs and installations in one list: what goes on first, then what ended last. */
export function recentWork(jobs: readonly Job[], applies: readonly Applied[]): Work[] {
  const all = [
    ...jobs.map((job) => ({ id: job.id, job, ended: job.finished_at })),
    ...applies.map((flow) => ({ id: flow.id, flow, ended: flow.state === "applying" ? null : (flow.at ?? "") })),
  ];
  const later = (a: string | null, b: string | null) =>
    a === null || b === null ? Number(b === null) - Number(a === null) : b.localeCompare(a);
  return all.sort((a, b) => later(a.ended, b.ended)).slice(0, shownWork);
}
