import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useStore } from "zustand";
import { useSession } from "@/api/session";
import { followChanges, live, type LiveEvent } from "@/api/stream";
import { modules } from "./modules";
import { learnFromRefusals } from "./refusals";

const pollEvery = 15_000;

/** Follows the panel's changes while signed in; asks again on a timer when the stream keeps failing. */
export function LiveChanges() {
  const queries = useQueryClient();
  const { token } = useSession();
  useEffect(() => learnFromRefusals(queries), [queries]);
  const failing = useStore(live, (state) => state.failures >= 2);

  useEffect(() => {
    if (token === undefined) return;
    const stop = new AbortController();
    const stale = (event: LiveEvent) => {
      if (event.kind === "panel.resync") return void queries.invalidateQueries();
      const keys = modules.flatMap((module) => module.refresh?.(event) ?? []);
      keys.forEach((queryKey) => void queries.invalidateQueries({ queryKey }));
    };
    void followChanges(stale, () => void queries.invalidateQueries(), stop.signal);
    return () => stop.abort();
  }, [token, queries]);

  useEffect(() => {
    if (!failing || token === undefined) return;
    const timer = setInterval(() => {
      if (!document.hidden) void queries.invalidateQueries();
    }, pollEvery);
    return () => clearInterval(timer);
  }, [failing, token, queries]);

  return null;
}
