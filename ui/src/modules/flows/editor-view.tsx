import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { ProblemNote } from "@/components/problem-view";
import { Skeleton } from "@/components/states";
import { PageTabs } from "@/components/tabs";
import { usePhone } from "@/components/use-phone";
import type { Plan, VersionSnapshot } from "./api";
import type { Autosave } from "./autosave";
import { ConflictBar } from "./conflict-bar";
import { useEditor } from "./editor-context";
import { EditorHeader, NextStep } from "./editor-header";
import classes from "./editor.module.css";
import { Inspector } from "./inspector";
import { OutlineTab } from "./outline-tab";
import { ProblemsPanel } from "./problem-list";
import type { Saving } from "./saving";
import { useFillHeight } from "./use-fill-height";
import { AddBlockMenu } from "./add-menu";

const Canvas = lazy(() => import("./canvas"));
const VersionsTab = lazy(() => import("./versions-tab"));
const ClientsTab = lazy(() => import("./clients-tab"));
const SettingsTab = lazy(() => import("./settings-tab"));

export type EditorTab = "graph" | "outline" | "versions" | "clients" | "settings";

export interface EditorViewProps {
  tab: EditorTab;
  saving: Saving;
  autosave: Autosave;
  preview: Plan | undefined;
  installed: VersionSnapshot | undefined;
}

export function EditorView({ tab, saving, autosave, preview, installed }: EditorViewProps) {
  const { t } = useTranslation("flows");
  const { flow, closed } = useEditor();
  const phone = usePhone();
  const drawing = tab === "graph" || tab === "outline";
  const link = (key: EditorTab) => ({ to: `/flows/${flow.id}/${key}` });
  const order: EditorTab[] = phone ? ["outline", "graph", "versions", "clients", "settings"] : ["graph", "outline", "versions", "clients", "settings"];
  const counts: Partial<Record<EditorTab, number>> = { versions: flow.installed_version_number ?? undefined, clients: flow.clients.filter((client) => client.revoked_at === null).length };
  return (
    <div className={classes.editor}>
      <EditorHeader saving={saving} autosave={autosave} preview={preview} drawing={drawing} />
      <div className={classes.tabs}>
        <PageTabs label={t("tabs.label")} current={tab} tabs={order.map((key) => ({ key, label: phone && key === "graph" ? t("tabs.graphView") : t(`tabs.${key}`), count: counts[key], link: link(key) }))} />
      </div>
      {saving.kind === "conflict" && <ConflictBar theirs={saving.theirs} autosave={autosave} />}
      {saving.kind === "refused" && (
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
