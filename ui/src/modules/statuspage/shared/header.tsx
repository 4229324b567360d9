import { Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { IconExternalLink } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { z } from "zod";
import { useWriteBlock } from "@/api/access";
import { PageHeader } from "@/components/layout/page-header";
import { PageTabs } from "@/components/layout/tabs";
import { useSearchState } from "@/components/screen/use-search";
import { viewState, type ViewState } from "@/components/state/states";
import { pagesQuery, type Page } from "../api";
import classes from "../statuspage.module.css";
import { localText } from "./localised";

/** Why changes are closed, for all writing acts of the module. */
export function useBlock(): string | undefined {
  return useWriteBlock({ needs: "statuspage.deploy", feature: "statuspage" });
}

const search = z.object({ page: z.string().optional().catch(undefined) });

export interface Chosen {
  pages: Page[];
  page: Page | undefined;
  choose: (id: string) => void;
}

/** The page that the address names, or the first. */
export function useChosenPage(): ViewState<Chosen> {
  const [place, change] = useSearchState(search);
  const state = viewState(useQuery(pagesQuery));
  if (state.kind !== "ready") return state;
  const page = state.data.find(({ id }) => id === place.page) ?? state.data[0];
  return { kind: "ready", data: { pages: state.data, page, choose: (id) => change({ page: id }) } };
}

type Tab = "editor" | "incidents" | "maintenance" | "publishing";

const paths: Record<Tab, string> = {
  editor: "/status-page",
  incidents: "/status-page/incidents",
  maintenance: "/status-page/maintenance",
  publishing: "/status-page/publishing",
};

interface HeaderProps {
  current: Tab;
  chosen: Chosen | undefined;
  actions?: ReactNode;
}

/** The head that the pages of the module share: which status page, where readers find it, and its parts. */
export function StatusPageHeader({ current, chosen, actions }: HeaderProps) {
  const { t } = useTranslation("statuspage");
  const [place] = useSearchState(search);
  const page = chosen?.page;
  const kept = place.page === undefined ? {} : { page: place.page };
  return (
    <>
      <PageHeader
        title={t("title")}
        beside={chosen && chosen.pages.length > 1 && <PagePicker {...chosen} />}
        meta={page ? <Address page={page} /> : t("lead")}
        closed={useBlock()}
        actions={actions}
      />
      {page && (
        <div className={classes.tabs}>
          <PageTabs
            label={t("title")}
            current={current}
            tabs={(Object.keys(paths) as Tab[]).map((key) => ({
              key,
              label: t(`tab.${key}`),
              link: { to: paths[key], search: kept } as never,
            }))}
          />
        </div>
      )}
    </>
  );
}

function PagePicker({ pages, page, choose }: Chosen) {
  const { t } = useTranslation("statuspage");
  return (
    <Select
      aria-label={t("whichPage")}
      allowDeselect={false}
      data={pages.map((one) => ({ value: one.id, label: localText(one.titles, one.default_locale) }))}
      value={page?.id ?? null}
      onChange={(id) => id && choose(id)}
    />
  );
}

function Address({ page }: { page: Page }) {
  const { t } = useTranslation("statuspage");
  if (page.address === "") return <>{t(page.published_revision === 0 ? "neverPublished" : "noAddress")}</>;
  return (
    <a href={page.address} target="_blank" rel="noreferrer" className={classes.address}>
      {page.address}
      <IconExternalLink size={13} stroke={1.6} aria-hidden />
    </a>
  );
}
