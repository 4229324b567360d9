import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { ProblemNote } from "@/components/state/problem-view";
import { SlotPart, useSlot } from "@/components/slots/slots";
import { EmptyState, Skeleton } from "@/components/state/states";
import { useLanguage } from "@/text/use-format";
import { PageTabs } from "@/components/layout/tabs";
import { usePhone } from "@/components/screen/use-phone";
import type { Plan, VersionSnapshot } from "../shared/api";
import { versionCountQuery } from "../versions/api";
import type { Autosave } from "./draft/autosave";
import { DriftBar } from "../drift/drift-bar";
import { ConflictBar } from "./conflict-bar";
import { useEditor } from "./editor-context";
import { EditorHeader, NextStep } from "./editor-header";
import classes from "./editor.module.css";
import { Inspector } from "./inspector/inspector";
import { OutlineTab } from "./outline/outline-tab";
import { ProblemsPanel } from "./problems/problem-list";
import type { Saving } from "./draft/saving";
import { useFillHeight } from "./use-fill-height";
import { AddBlockMenu } from "./add-menu";

const Canvas = lazy(() => import("./canvas/canvas"));
const VersionsTab = lazy(() => import("../versions/versions-tab"));
const ClientsTab = lazy(() => import("../access/clients-tab"));
const SettingsTab = lazy(() => import("./settings-tab"));

type EditorTab = "graph" | "outline" | "versions" | "clients";

const wideOrder: EditorTab[] = ["graph", "outline", "versions", "clients"];
const phoneOrder: EditorTab[] = ["outline", "graph", "versions", "clients"];

export interface EditorViewProps {
  /** A tab of the editor, or one that another module adds. */
  tab: string;
  saving: Saving;
  autosave: Autosave;
  preview: Plan | undefined;
  installed: VersionSnapshot | undefined;
}

export function EditorView({ tab, saving, autosave, preview, installed }: EditorViewProps) {
  const { t } = useTranslation("flows");
  const { flow, closed, problems } = useEditor();
  const phone = usePhone();
  const drawing = tab === "graph" || tab === "outline";
  const language = useLanguage();
  const added = useSlot("flowTabs");
  const open = added.find((entry) => entry.key === tab);
  const all = [
    ...(phone ? phoneOrder : wideOrder).map((key) => ({
      key: key as string,
      label: phone && key === "graph" ? t("tabs.graphView") : t(`tabs.${key}`),
    })),
    ...added.map((entry) => ({ key: entry.key, label: entry.label[language] })),
    { key: "settings", label: t("tabs.settings") },
  ];
  const missing = !all.some(({ key }) => key === tab);
  const counts: Record<string, number | undefined> = {
    versions: useQuery(versionCountQuery(flow.id)).data || undefined,
    clients: flow.client_counts.total,
  };
  return (
    <div className={classes.editor}>
      <EditorHeader saving={saving} autosave={autosave} preview={preview} drawing={drawing} />
      <div className={classes.tabs}>
        <PageTabs
          label={t("tabs.label")}
          current={tab}
          tabs={all.map((one) => ({ ...one, count: counts[one.key], link: { to: `/flows/${flow.id}/${one.key}` } }))}
        />
      </div>
      {saving.kind === "conflict" && <ConflictBar theirs={saving.theirs} autosave={autosave} />}
      <DriftBar flow={flow} />
      {saving.kind === "refused" && problems.length === 0 && (
        <div className={classes.notice}>
          <ProblemNote error={saving.error} />
        </div>
      )}
      {tab === "graph" && <GraphTab phone={phone} />}
      {tab === "outline" && <OutlineTab installed={installed} />}
      <Suspense fallback={<Skeleton rows={6} />}>
        {tab === "versions" && <VersionsTab saving={saving} autosave={autosave} />}
        {tab === "clients" && <ClientsTab />}
        {tab === "settings" && <SettingsTab />}
        {open && (
          <div className={classes.page}>
            <SlotPart key={open.key} entry={open} props={{ id: flow.id }} />
          </div>
        )}
        {missing && <EmptyState title={t("tabs.missing")} />}
      </Suspense>
      {phone && drawing && (
        <div className={classes.bottom}>
          {tab === "outline" && closed === undefined && <AddBlockMenu label={t("canvas.addShort")} />}
          <NextStep saving={saving} autosave={autosave} preview={preview} />
        </div>
      )}
    </div>
  );
}

function GraphTab({ phone }: { phone: boolean }) {
  const [frame, height] = useFillHeight(phone ? 73 : 0);
  return (
    <div ref={frame} className={classes.graph} style={{ height }}>
      <div className={classes.stage}>
        <Suspense fallback={<Skeleton height={360} />}>
          <Canvas viewOnly={phone} />
        </Suspense>
        {!phone && <ProblemsPanel />}
      </div>
      {!phone && <Inspector />}
    </div>
  );
}
