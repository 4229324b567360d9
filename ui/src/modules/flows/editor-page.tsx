import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useMemo } from "react";
import { useStore } from "zustand";
import { useWriteBlock } from "@/api/access";
import { usePageTitle } from "@/components/page-title";
import { ProblemView } from "@/components/problem-view";
import { Skeleton } from "@/components/states";
import { usePhone } from "@/components/use-phone";
import { flowQuery, previewQuery, versionQuery, type Flow } from "./api";
import { changedBlocks } from "./compare";
import { EditorProvider } from "./editor-context";
import { EditorView, type EditorTab } from "./editor-view";
import { gatherProblems } from "./problems";
import { conflictProblems } from "./port-conflicts";
import { useDraft, type OpenDraft } from "./use-draft";

const tabs: EditorTab[] = ["graph", "outline", "versions", "clients", "settings"];

/** The flow editor: fetches the flow and its draft and decides which tab is open. */
export default function EditorPage() {
  const { id = "", tab } = useParams({ strict: false }) as { id?: string; tab?: string };
  const phone = usePhone();
  const flow = useQuery(flowQuery(id));
  const draft = useDraft(id);
  usePageTitle(flow.data?.name);
  const current = tabs.find((known) => known === tab) ?? (phone ? "outline" : "graph");
  const failed = flow.error ?? draft.error;
  if (flow.data && draft.saving.kind !== "loading") return <OpenEditor flow={flow.data} draft={draft} tab={current} />;
  return (
    <div style={{ padding: "20px 24px" }}>
      {failed ? <ProblemView error={failed} onRetry={() => void Promise.all([flow.refetch(), draft.retry()])} /> : <Skeleton rows={8} />}
    </div>
  );
}

function OpenEditor({ flow, draft, tab }: { flow: Flow; draft: OpenDraft; tab: EditorTab }) {
  const { store, saving, autosave } = draft;
  const drawing = useStore(store, (state) => state.drawing);
  const closed = useWriteBlock({ needs: "connection_units.edit", feature: "flows" });
  const saved = saving.kind === "saved" ? saving.revision : undefined;
  const preview = useQuery(previewQuery(flow.id, saved ?? draft.draft?.revision)).data;
  const installed = useQuery(versionQuery(flow.id, flow.installed_version_id)).data;
  const changed = useMemo(() => changedBlocks(drawing, installed?.graph), [drawing, installed]);
  // Findings name blocks by their place in the drawing they were made for, so they are read against that one.
  const found = draft.draft;
  const problems = useMemo(() => {
    const fits = preview && preview.revision === found?.revision;
    const errors = fits ? [...preview.errors, ...conflictProblems(preview.conflicts)] : [];
    return found ? gatherProblems(found.graph, [...found.problems, ...errors], fits ? preview.warnings : []) : [];
  }, [found, preview]);
  const editor = useMemo(() => ({ flow, store, problems, changed, closed }), [flow, store, problems, changed, closed]);
  return (
    <EditorProvider value={editor}>
      <EditorView tab={tab} saving={saving} autosave={autosave} preview={preview} installed={installed} />
    </EditorProvider>
  );
}
