import { useQuery } from "@tanstack/react-query";
import { IconPlus, IconRocket } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { ProblemView } from "@/components/state/problem-view";
import { EmptyState, Skeleton, viewState } from "@/components/state/states";
import { targetsQuery, type Page, type Target } from "../api";
import { StatusPageHeader, useBlock, useChosenPage } from "../shared/header";
import classes from "../statuspage.module.css";
import { DeployDialog } from "./deploy-dialog";
import { DeployLog } from "./deploy-log";
import { TargetDialog } from "./target-dialog";
import { TargetTable } from "./target-table";

/** Where the page is published, and what was published when. */
export default function PublishPage() {
  const { t } = useTranslation("statuspage");
  const block = useBlock();
  const chosen = useChosenPage();
  const [deploying, setDeploying] = useState(false);
  const [editing, setEditing] = useState<Target | "new">();
  const page = chosen.kind === "ready" ? chosen.data.page : undefined;
  return (
    <>
      <StatusPageHeader
        current="publishing"
        chosen={chosen.kind === "ready" ? chosen.data : undefined}
        actions={
          page && (
            <>
              <Action icon={IconPlus} reason={block} onClick={() => setEditing("new")}>
                {t("targets.add")}
              </Action>
              <Action kind="filled" icon={IconRocket} reason={block} onClick={() => setDeploying(true)}>
                {t("publish")}
              </Action>
            </>
          )
        }
      />
      {chosen.kind === "loading" && <Skeleton rows={6} />}
      {chosen.kind === "error" && <ProblemView error={chosen.error} tried={t("loadFailed")} onRetry={chosen.retry} />}
      {chosen.kind === "ready" && !page && <EmptyState title={t("none")}>{t("noneText")}</EmptyState>}
      {page && (
        <div className={classes.stack}>
          <Targets page={page} block={block} onEdit={setEditing} />
          <DeployLog page={page} />
        </div>
      )}
      {editing && page && (
        <TargetDialog
          pageId={page.id}
          target={editing === "new" ? undefined : editing}
          onClose={() => setEditing(undefined)}
        />
      )}
      {deploying && page && <DeployDialog page={page} onClose={() => setDeploying(false)} />}
    </>
  );
}

interface TargetsProps {
  page: Page;
  block: string | undefined;
  onEdit: (target: Target) => void;
}

function Targets({ page, block, onEdit }: TargetsProps) {
  const { t } = useTranslation("statuspage");
  const state = viewState(useQuery(targetsQuery(page.id)));
  if (state.kind === "loading") return <Skeleton rows={4} />;
  if (state.kind === "error")
    return <ProblemView error={state.error} tried={t("targets.loadFailed")} onRetry={state.retry} />;
  if (state.data.length === 0) return <EmptyState title={t("targets.none")}>{t("targets.noneText")}</EmptyState>;
  return <TargetTable targets={state.data} block={block} onEdit={onEdit} />;
}
