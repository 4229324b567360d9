import { useInfiniteQuery } from "@tanstack/react-query";
import { IconListSearch } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { z } from "zod";
import { useSearchState } from "@/components/screen/use-search";
import { EmptyState } from "@/components/state/states";
import { Tag } from "@/components/status/status";
import type { Column } from "@/components/table/data-table";
import { Listing } from "@/components/table/listing";
import { useTableLook } from "@/components/table/use-table-look";
import { useFormat } from "@/text/use-format";
import { categoriesQuery, type Asset, type Category } from "../api";
import classes from "../geo.module.css";
import { AssetPage, useAssetId } from "./asset-page";
import { EntriesDrawer } from "./entries-drawer";
import { SearchField } from "./search-field";

const search = z.object({
  q: z.string().optional().catch(undefined),
  open: z.string().optional().catch(undefined),
  within: z.string().optional().catch(undefined),
});

/** The categories of a file; each opens what it holds. */
export default function CategoriesPage() {
  const { t } = useTranslation("geo");
  const id = useAssetId();
  const [place, setPlace] = useSearchState(search);
  const list = useInfiniteQuery(categoriesQuery(id, place.q));
  const look = useTableLook("geo-categories");
  const open = ({ category }: Category) => setPlace({ open: category });
  const columns = useColumns(open);
  return (
    <AssetPage current="categories">
      {(asset: Asset) => (
        <>
          <SearchField label={t("category.search")} q={place.q ?? ""} onFind={(q) => setPlace({ q: q || undefined })} />
          <Listing
            list={list}
            tried={t("loadFailed")}
            label={t("tab.categories")}
            columns={columns}
            look={look}
            rowId={({ category }) => category}
            rowName={({ category }) => category}
            current={place.open}
            onOpen={open}
            phone={(row) => (
              <>
                <Name row={row} onOpen={open} />
                <span className={classes.phone}>
                  <Size row={row} /> <Used row={row} />
                </span>
              </>
            )}
            empty={
              <EmptyState icon={IconListSearch} title={t(place.q ? "category.notFound" : "category.none")}>
                {!place.q && t("category.noneText")}
              </EmptyState>
            }
          />
          {place.open && (
            <EntriesDrawer
              asset={asset}
              category={place.open}
              within={place.within ?? ""}
              onClose={() => setPlace({ open: undefined, within: undefined })}
            />
          )}
        </>
      )}
    </AssetPage>
  );
}

function Name({ row, onOpen }: { row: Category; onOpen: (row: Category) => void }) {
  return (
    <button type="button" className={`${classes.open} mono`} onClick={() => onOpen(row)}>
      {row.category}
    </button>
  );
}

function Size({ row: { entries } }: { row: Category }) {
  const { t } = useTranslation("geo");
  const format = useFormat();
  return <span className="num">{t("entries", { count: entries, shown: format.number(entries) })}</span>;
}

function Used({ row: { used_by_count: count } }: { row: Category }) {
  const { t } = useTranslation("geo");
  return count === 0 ? null : <Tag>{t("used", { count })}</Tag>;
}

function useColumns(onOpen: (row: Category) => void): Column<Category>[] {
  const { t } = useTranslation("geo");
  return [
    { key: "category", head: t("category.name"), cell: (row) => <Name row={row} onOpen={onOpen} /> },
    { key: "entries", head: t("category.holds"), width: 170, cell: (row) => <Size row={row} /> },
    { key: "used", head: t("category.used"), width: 170, drop: 1, cell: (row) => <Used row={row} /> },
  ];
}
