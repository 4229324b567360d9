import { useQuery } from "@tanstack/react-query";
import { IconMapSearch, IconPlus } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useWriteBlock } from "@/api/access";
import { Action } from "@/components/action/action";
import { PageHeader } from "@/components/layout/page-header";
import { ProblemView } from "@/components/state/problem-view";
import { EmptyState, Skeleton, viewState } from "@/components/state/states";
import { assetsQuery, type Asset } from "./api";
import { AssetDialog } from "./asset-dialog";
import { AssetTable } from "./asset-table";
import classes from "./geo.module.css";
import { LookupCard } from "./lookup-card";

/** Why changes are closed, for all writing acts of the module. */
export function useBlock(): string | undefined {
  return useWriteBlock({ needs: "geo_assets.manage", feature: "geo" });
}

/** The files by which flows route, and the search over what they hold. */
export default function GeoPage() {
  const { t } = useTranslation("geo");
  const block = useBlock();
  const state = viewState(useQuery(assetsQuery));
  const [editing, setEditing] = useState<Asset | "new">();
  const add = (
    <Action kind="filled" icon={IconPlus} reason={block} onClick={() => setEditing("new")}>
      {t("add")}
    </Action>
  );
  const none = state.kind === "ready" && state.data.length === 0;
  return (
    <>
      <PageHeader title={t("title")} meta={t("lead")} closed={block} actions={!none && add} />
      {state.kind === "loading" && <Skeleton rows={6} />}
      {state.kind === "error" && <ProblemView error={state.error} tried={t("loadFailed")} onRetry={state.retry} />}
      {none && (
        <EmptyState icon={IconMapSearch} title={t("none")} act={add}>
          {t("noneText")}
        </EmptyState>
      )}
      {state.kind === "ready" && !none && (
        <div className={classes.stack}>
          <AssetTable assets={state.data} block={block} onEdit={setEditing} />
          <LookupCard />
        </div>
      )}
      {editing && <AssetDialog asset={editing === "new" ? undefined : editing} onClose={() => setEditing(undefined)} />}
    </>
  );
}
