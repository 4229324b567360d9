import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useMemo } from "react";
import { useStore } from "zustand";
import { useWriteBlock } from "@/api/access";
import { isProblem } from "@/api/problem";
import { usePageTitle } from "@/components/layout/page-title";
import { ProblemView } from "@/components/state/problem-view";
import { Skeleton } from "@/components/state/states";
import { usePhone } from "@/components/screen/use-phone";
import { flowQuery, previewQuery, versionQuery, type Flow } from "../shared/api";
import { changedBlocks, compareDrawings } from "../drawing/compare";
import { EditorProvider, PlacesProvider } from "./editor-context";
import { EditorView } from "./editor-view";
import { gatherProblems, refusedFields } from "./problems/problems";
import { useConflictProblems } from "./problems/port-conflicts";
import { useDraft, type OpenDraft } from "./draft/use-draft";

/** The flow editor: fetches the flow and its draft and decides which tab is open. */
export default function EditorPage() {
  const { id = "", tab } = useParams({ strict: false }) as { id?: string; tab?: string };
  const phone = usePhone();
  const flow = useQuery(flowQuery(id));
  const draft = useDraft(id);
  usePageTitle(flow.data?.name);
  const current = tab ?? (phone ? "outline" : "graph");
  const failed = flow.error ?? draft.error;
  if (flow.data && draft.saving.kind !== "loading") return <OpenEditor flow={flow.data} draft={draft} tab={current} />;
  return (
    <div style={{ padding: "20px 24px" }}>
      {failed ? (
        <ProblemView error={failed} onRetry={() => void Promise.all([flow.refetch(), draft.retry()])} />
      ) : (
        <Skeleton rows={8} />
      )}
    </div>
  );
}

function OpenEditor({ flow, draft, tab }: { flow: Flow; draft: OpenDraft; tab: string }) {
  const { store, saving, autosave } = draft;
  const drawing = useStore(store, (state) => state.drawing);
  const closed = useWriteBlock({ needs: "connection_units.edit", feature: "flows" });
  const saved = saving.kind === "saved" ? saving.revision : undefined;
  const preview = useQuery(previewQuery(flow.id, saved ?? draft.draft?.revision)).data;
  const installed = useQuery(versionQuery(flow.id, flow.installed_version_id)).data;
  const changes = useMemo(() => installed && compareDrawings(installed.graph, drawing), [drawing, installed]);
  const changed = useMemo(() => changedBlocks(changes ?? []), [changes]);
  const nodeIds = [...drawing.nodes.flatMap((block) => block.node_id || []), ...flow.drift.node_ids];
  const taken = useConflictProblems(preview?.conflicts ?? []);
  // Findings name blocks by their place in the drawing they were made for, so they are read against that one.
  const found = draft.draft;
  const refused = saving.kind === "refused" ? saving.error : undefined;
  const problems = useMemo(() => {
    if (isProblem(refused) && refused.fields.length > 0) return gatherProblems(drawing, refusedFields(refused.fields));
    const fits = preview && preview.revision === found?.revision;
    const errors = fits ? [...preview.errors, ...taken] : [];
    return found ? gatherProblems(found.graph, [...found.problems, ...errors], fits ? preview.warnings : []) : [];
  }, [found, preview, taken, refused, drawing]);
  const sharing = preview?.sharing;
  const editor = useMemo(
    () => ({ flow, store, problems, changes, changed, sharing, closed }),
    [flow, store, problems, changes, changed, sharing, closed],
  );
  return (
    <PlacesProvider ids={nodeIds}>
      <EditorProvider value={editor}>
        <EditorView tab={tab} saving={saving} autosave={autosave} preview={preview} installed={installed} />
      </EditorProvider>
    </PlacesProvider>
  );
}
