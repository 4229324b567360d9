import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useStore } from "zustand";
import { useAccess } from "@/api/access";
import { useSession } from "@/api/session";
import { createRefresher } from "@/api/refresher";
import { followChanges, live, type LiveEvent } from "@/api/stream";
import { modules } from "./modules";
import { learnFromRefusals } from "./refusals";

const pollEvery = 15_000;

/**
 * Follows the panel's changes while signed in; asks again on a timer when the stream keeps failing. An account that
 * has to choose a password first is refused, and every refusal is an entry of the journal: it follows nothing.
 */
export function LiveChanges() {
  const queries = useQueryClient();
  const { token } = useSession();
  const { account } = useAccess();
  const follows = token !== undefined && account?.must_change_password === false;
  useEffect(() => learnFromRefusals(queries), [queries]);
  const failing = useStore(live, (state) => state.failures >= 2);

  useEffect(() => {
    if (!follows) return;
    const stop = new AbortController();
    const refresher = createRefresher(queries);
    const stale = (event: LiveEvent) => {
      if (event.kind === "panel.resync") return void queries.invalidateQueries();
      refresher.add(modules.flatMap((module) => module.refresh?.(event) ?? []));
    };
    void followChanges(stale, () => void queries.invalidateQueries(), stop.signal);
    return () => {
      stop.abort();
      refresher.stop();
    };
  }, [token, follows, queries]);

  useEffect(() => {
    if (!failing || !follows) return;
    const timer = setInterval(() => {
      if (!document.hidden) void queries.invalidateQueries();
    }, pollEvery);
    return () => clearInterval(timer);
  }, [failing, follows, queries]);

  return null;
}
