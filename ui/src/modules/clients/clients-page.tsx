import { Menu } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { IconDownload, IconPlus, IconUpload } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useWriteBlock } from "@/api/access";
import { Action } from "@/components/action/action";
import { PageHeader } from "@/components/layout/page-header";
import { saveFile } from "@/components/screen/save-file";
import { useSearchState } from "@/components/screen/use-search";
import { useTableLook } from "@/components/table/use-table-look";
import { viewState } from "@/components/state/states";
import { toastProblem } from "@/components/state/toast";
import { ClientActDialog } from "./acts/client-act-dialog";
import type { ClientAct } from "./acts/effects";
import { AddressDialog } from "./address-dialog";
import { clientsQuery, exported, type Client } from "./api";
import { ClientDialog } from "./client-dialog";
import { clientsSearch, isFiltered, narrowing, unfiltered, type ClientsSearch } from "./clients-search";
import { ClientsView } from "./clients-view";
import { FilterRow } from "./filter-row";
import { ImportDialog } from "./import-dialog";
import { useChosen } from "./use-chosen";

/** Who uses flows: find, add, change, hand out, revoke. */
export default function ClientsPage() {
  const { t } = useTranslation("clients");
  const [place, setPlace] = useSearchState(clientsSearch);
  const filter = { ...place, sort: place.sort ?? "label" };
  const list = useInfiniteQuery(clientsQuery(filter));
  const block = useWriteBlock({ needs: "connection_units.edit", feature: "flows" });
  const own = useTableLook("clients");
  const chosen = useChosen(list.data?.items ?? [], list.data?.total ?? 0, place);
  const [open, setOpen] = useState<Client | "new">();
  const [importing, setImporting] = useState(false);
  const [addressed, setAddressed] = useState<Client>();
  const [asked, setAsked] = useState<{ act: ClientAct; clients: readonly Client[] }>();
  const save = (format: "json" | "csv") => () =>
    exported(narrowing(place), format)
      .then((file) => saveFile(`clients.${format}`, file))
      .catch((error: unknown) => toastProblem(t("exportFailed"), error));
  return (
    <>
      <PageHeader
        title={t("title")}
        meta={t("lead")}
        closed={block}
        actions={
          <>
            <Menu position="bottom-end">
              <Menu.Target>
                <Action kind="ghost" icon={IconDownload}>
                  {t("export")}
                </Action>
              </Menu.Target>
              <Menu.Dropdown>
                <Menu.Item onClick={() => void save("csv")()}>{t("exportCsv")}</Menu.Item>
                <Menu.Item onClick={() => void save("json")()}>{t("exportJson")}</Menu.Item>
              </Menu.Dropdown>
            </Menu>
            <Action icon={IconUpload} reason={block} onClick={() => setImporting(true)}>
              {t("import")}
            </Action>
            <Action kind="filled" icon={IconPlus} reason={block} onClick={() => setOpen("new")}>
              {t("add")}
            </Action>
          </>
        }
      />
      <FilterRow place={place} shown={list.data?.items ?? []} own={own} onChange={setPlace} />
      <ClientsView
        state={viewState(list)}
        onClear={isFiltered(place) ? () => setPlace(unfiltered) : undefined}
        sorting={{ value: filter.sort, onChange: (sort) => setPlace({ sort: sort as ClientsSearch["sort"] }) }}
        more={list.hasNextPage ? { load: () => void list.fetchNextPage(), busy: list.isFetchingNextPage } : undefined}
        block={block}
        onAdd={() => setOpen("new")}
        onEdit={setOpen}
        onAddress={setAddressed}
        onAct={(act, clients) => setAsked({ act, clients })}
        own={own}
        chosen={chosen}
      />
      <ClientDialog client={open} onClose={() => setOpen(undefined)} />
      {importing && <ImportDialog onClose={() => setImporting(false)} />}
      {addressed && <AddressDialog client={addressed} onClose={() => setAddressed(undefined)} />}
      {asked && <ClientActDialog {...asked} onClose={() => setAsked(undefined)} />}
    </>
  );
}
