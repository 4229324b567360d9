import { useQuery, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useStore } from "zustand";
import { session } from "@/api/session";
import { draftQuery, readDraft, saveDraft, type Draft } from "../../shared/api";
import { createAutosave, type Autosave } from "./autosave";
import { createDraftStore, type DraftStore } from "./draft-store";
import type { Saving } from "./saving";

export interface OpenDraft {
  store: DraftStore;
  saving: Saving;
  autosave: Autosave;
  draft: Draft | undefined;
  error: unknown;
  retry: () => void;
}

// A draft outlives its page, so that going to the plan and back loses neither undo nor choice.
const opened = new Map<string, { store: DraftStore; autosave: Autosave }>();

function openDraft(flowId: string, queries: QueryClient) {
  const known = opened.get(flowId);
  if (known) return known;
  const store = createDraftStore();
  const onStored = (draft: Draft) => void queries.setQueryData(draftQuery(flowId).queryKey, draft);
  const fresh = { store, autosave: createAutosave(flowId, store, { save: saveDraft, read: readDraft, onStored }) };
  opened.set(flowId, fresh);
  return fresh;
}

/** Forgets a draft whose flow is gone. */
export function closeDraft(flowId: string): void {
  opened.get(flowId)?.autosave.stop();
  opened.delete(flowId);
}

/** Opens the draft of a flow: reads it, follows others' changes, and saves what is edited. */
export function useDraft(flowId: string): OpenDraft {
  const queries = useQueryClient();
  const query = useQuery(draftQuery(flowId));
  const { store, autosave } = openDraft(flowId, queries);
  const saving = useStore(autosave.state);
  const { data } = query;

  useEffect(() => {
    if (data) autosave.receive(data);
  }, [autosave, data]);

  useEffect(() => {
    const tryNow = () => void autosave.flush();
    const stopListening = session.subscribe(
      (now, before) => void (now.token !== before.token && now.token !== undefined && tryNow()),
    );
    window.addEventListener("online", tryNow);
    return () => {
      stopListening();
      window.removeEventListener("online", tryNow);
      tryNow();
    };
  }, [autosave]);

  return { store, saving, autosave, draft: data, error: query.error, retry: () => void query.refetch() };
}
