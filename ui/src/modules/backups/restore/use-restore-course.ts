import { useEffect, useState } from "react";
import { endSession, session } from "@/api/session";
import type { Restore } from "../shared/api";

/** How a full restore stands, as seen from outside: the panel goes away for a while and comes back without sessions. */
export type Course =
  { kind: "goesOn"; step: string; away: boolean } | { kind: "done" } | { kind: "failed"; error: string };

const pause = 1_000;

/**
 * Asks for one restore until it has ended. No answer and 503 are the panel's change of database. The answer that this
 * session is unknown means that the restored panel is there: everybody signs in again.
 */
export function useRestoreCourse(id: string): Course {
  const [course, setCourse] = useState<Course>({ kind: "goesOn", step: "", away: false });
  useEffect(() => {
    const stop = new AbortController();
    const { token } = session.getState();
    void (async () => {
      while (!stop.signal.aborted) {
        const next = await look(id, token, stop.signal);
        if (stop.signal.aborted) return;
        setCourse(
          (before) => next ?? { kind: "goesOn", step: before.kind === "goesOn" ? before.step : "", away: true },
        );
        if (next?.kind === "done") endSession();
        if (next && next.kind !== "goesOn") return;
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    })();
    return () => stop.abort();
  }, [id]);
  return course;
}

/** One look; undefined while the panel does not answer. */
async function look(id: string, token: string | undefined, signal: AbortSignal): Promise<Course | undefined> {
  try {
    const request = new Request(`${window.location.origin}/api/v1/backups/restores/${encodeURIComponent(id)}`, {
      headers: token ? { Authorization: `Bearer ${token}` } : {},
      cache: "no-store",
      credentials: "omit",
      signal,
    });
    const response = await fetch(request);
    if (response.status === 401) return { kind: "done" };
    if (!response.ok) return undefined;
    const { state, step, error } = (await response.json()) as Pick<Restore, "state" | "step" | "error">;
    if (state === "succeeded") return { kind: "done" };
    if (state === "failed") return { kind: "failed", error };
    return { kind: "goesOn", step, away: false };
  } catch {
    return undefined;
  }
}
