import { useQuery } from "@tanstack/react-query";
import { IconArrowBackUp, IconRefresh, IconTopologyStar3 } from "@tabler/icons-react";
import { useParams } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { Meta, PageHeader } from "@/components/layout/page-header";
import { usePageTitle } from "@/components/layout/page-title";
import { PageTabs } from "@/components/layout/tabs";
import { ProblemView } from "@/components/state/problem-view";
import { Skeleton, viewState } from "@/components/state/states";
import { Tag } from "@/components/status/status";
import { RelativeTime } from "@/components/text/relative-time";
import { assetQuery, type Asset } from "../api";
import { AssetActDialog, closedActs, type AssetAct } from "../asset-acts";
import classes from "../geo.module.css";
import { useBlock } from "../geo-page";
import { AssetStatus } from "../state";
import { Trouble } from "../trouble";

export const assetTabs = ["versions", "categories", "changes", "nodes"] as const;
export type AssetTab = (typeof assetTabs)[number];

/** A database of places has no lists, and mostly stays on the panel. */
const tabsOf: Record<AssetTab, (asset: Asset) => boolean> = {
  versions: () => true,
  categories: ({ file }) => file !== "mmdb",
  changes: ({ file }) => file !== "mmdb",
  nodes: ({ on_nodes: onNodes }) => onNodes,
};

/** The file that the address of the page names. */
export function useAssetId(): string {
  return (useParams({ strict: false }) as { id: string }).id;
}

interface AssetPageProps {
  current: AssetTab;
  children: (asset: Asset) => ReactNode;
}

/** The head that the pages of one file share: how it stands, its acts, and what is wrong with it. */
export function AssetPage({ current, children }: AssetPageProps) {
  const id = useAssetId();
  const { t } = useTranslation("geo");
  const state = viewState(useQuery(assetQuery(id)));
  usePageTitle(state.kind === "ready" ? state.data.name : undefined);
  if (state.kind === "loading") return <Skeleton rows={8} />;
  if (state.kind === "error") return <ProblemView error={state.error} onRetry={state.retry} tried={t("loadFailed")} />;
  const asset = state.data;
  const shown = assetTabs.filter((tab) => tabsOf[tab](asset));
  return (
    <>
      <Head asset={asset} />
      <div className={classes.tabs}>
        <PageTabs
          label={asset.name}
          current={current}
          tabs={shown.map((key) => ({
            key,
            label: t(`tab.${key}`),
            link: { to: key === "versions" ? `/geo/${id}` : `/geo/${id}/${key}` },
          }))}
        />
      </div>
      <div className={classes.stack}>
        <Trouble asset={asset} />
        {children(asset)}
      </div>
    </>
  );
}

const icons = { update: IconRefresh, distribute: IconTopologyStar3, rollback: IconArrowBackUp } as const;

function Head({ asset }: { asset: Asset }) {
  const { t } = useTranslation("geo");
  const block = useBlock();
  const [act, setAct] = useState<AssetAct>();
  const closed = closedActs(asset);
  const button = (key: keyof typeof icons) => (
    <Action
      icon={icons[key]}
      kind={key === "distribute" ? "filled" : "default"}
      reason={block ?? (closed[key] && t(closed[key]))}
      onClick={() => setAct(key)}
    >
      {t(`act.${key}.menu`)}
    </Action>
  );
  return (
    <>
      <PageHeader
        title={asset.name}
        beside={
          <>
            <AssetStatus asset={asset} /> {asset.pinned && <Tag>{t("pinned")}</Tag>}
          </>
        }
        meta={
          <>
            <Meta>{t(`preset.${asset.preset}`)}</Meta>
            <Meta>
              {asset.fetched_at === null ? (
                t("neverFetched")
              ) : (
                <>
                  {t("fetched")} <RelativeTime at={asset.fetched_at} />
                </>
              )}
            </Meta>
            {asset.next_update_at !== null && !asset.pinned && (
              <Meta>
                {t("next")} <RelativeTime at={asset.next_update_at} />
              </Meta>
            )}
          </>
        }
        closed={block}
        actions={
          <>
            {button("rollback")}
            {button("update")}
            {asset.candidate !== null && button("distribute")}
          </>
        }
      />
      {act && <AssetActDialog act={act} asset={asset} onClose={() => setAct(undefined)} />}
    </>
  );
}
