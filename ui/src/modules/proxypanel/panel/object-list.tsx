import { TextInput } from "@mantine/core";
import { IconSearch, IconUnlink } from "@tabler/icons-react";
import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import { useEffect, useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { z } from "zod";
import { SavedViews } from "@/components/layout/tabs";
import { useSearchState } from "@/components/screen/use-search";
import { EmptyState } from "@/components/state/states";
import type { Column } from "@/components/table/data-table";
import type { Read } from "@/components/table/list-query";
import { Listing } from "@/components/table/listing";
import { useTableLook } from "@/components/table/use-table-look";
import classes from "../proxypanel.module.css";
import type { PanelTab } from "./panel-page";

/** What the address narrows a list to. */
const objectSearch = z.object({
  q: z.string().optional().catch(undefined),
  view: z.string().optional().catch(undefined),
});

export function useNarrowing(): { q: string | undefined; view: string | undefined; find: (q: string) => void } {
  const [place, setPlace] = useSearchState(objectSearch);
  return { q: place.q, view: place.view, find: (q) => setPlace({ q: q || undefined }) };
}

interface ObjectListProps<Row> {
  tab: Exclude<PanelTab, "drift" | "syncs">;
  connectionId: string;
  list: UseInfiniteQueryResult<Read<Row>>;
  columns: Column<Row>[];
  rowId: (row: Row) => string;
  rowName: (row: Row) => string;
  phone: (row: Row) => ReactNode;
  menu?: (row: Row) => ReactNode;
  /** Views beside all that is there and all that is gone. */
  views?: readonly { key: string; label: string }[];
}

/** A list of what a proxy panel holds: what is there, what is gone, and a search by name. */
export function ObjectList<Row extends object>({ tab, connectionId, views = [], ...table }: ObjectListProps<Row>) {
  const { t } = useTranslation("proxypanel");
  const { q, view, find } = useNarrowing();
  const to = tab === "nodes" ? `/proxypanel/${connectionId}` : `/proxypanel/${connectionId}/${tab}`;
  const all = [{ key: "there", label: t("views.there") }, ...views, { key: "gone", label: t("views.gone") }];
  return (
    <>
      <div className={classes.tools}>
        <SavedViews
          label={t("views.label")}
          current={view ?? "there"}
          views={all.map(({ key, label }) => ({
            key,
            label,
            link: { to, search: key === "there" ? {} : { view: key } },
          }))}
        />
        <Search q={q ?? ""} onFind={find} />
      </div>
      <Listing
        {...table}
        tried={t("panel.loadFailed")}
        label={t(`tab.${tab}`)}
        look={useTableLook(`proxypanel-${tab}`)}
        rowHeight="two"
        empty={
          <EmptyState
            icon={IconUnlink}
            title={t(q ? "list.notFound" : view === "gone" ? "list.noneGone" : "list.none")}
          >
            {!q && view !== "gone" && t("list.noneText")}
          </EmptyState>
        }
      />
    </>
  );
}

const typing = 300;

/** Finds by name a moment after the last letter. */
function Search({ q, onFind }: { q: string; onFind: (q: string) => void }) {
  const { t } = useTranslation("proxypanel");
  const [text, setText] = useState(q);
  useEffect(() => {
    if (text === q) return;
    const later = setTimeout(() => onFind(text), typing);
    return () => clearTimeout(later);
  }, [text, q, onFind]);
  return (
    <TextInput
      className={classes.search}
      aria-label={t("list.search")}
      placeholder={t("list.search")}
      leftSection={<IconSearch size={14} aria-hidden />}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
    />
  );
}
