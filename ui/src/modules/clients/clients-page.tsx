import { useInfiniteQuery } from "@tanstack/react-query";
import { IconDownload, IconPlus, IconUpload } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useWriteBlock } from "@/api/access";
import { Action } from "@/components/action/action";
import { Confirm } from "@/components/dialog/confirm";
import { PageHeader } from "@/components/layout/page-header";
import { saveFile } from "@/components/screen/save-file";
import { useSearchState } from "@/components/screen/use-search";
import { viewState } from "@/components/state/states";
import { toastDone, toastProblem } from "@/components/state/toast";
import { clientsQuery, exported, useBulk, type Client } from "./api";
import { ClientDialog } from "./client-dialog";
import { clientsSearch, isFiltered, unfiltered, type ClientsSearch } from "./clients-search";
import { ClientsView } from "./clients-view";
import { FilterRow } from "./filter-row";
import { ImportDialog } from "./import-dialog";

/** Who uses flows: find, add, change, hand out, revoke. */
export default function ClientsPage() {
  const { t } = useTranslation("clients");
  const [place, setPlace] = useSearchState(clientsSearch);
  const filter = { ...place, sort: place.sort ?? "label" };
  const list = useInfiniteQuery(clientsQuery(filter));
  const block = useWriteBlock({ needs: "connection_units.edit", feature: "flows" });
  const bulk = useBulk();
  const [open, setOpen] = useState<Client | "new">();
  const [importing, setImporting] = useState(false);
  const [leaving, setLeaving] = useState<Client>();
  const stay = () => {
    setLeaving(undefined);
    bulk.reset();
  };
  const save = () =>
    exported(place)
      .then((file) => saveFile("clients.json", file))
      .catch((error: unknown) => toastProblem(t("exportFailed"), error));
  const turn = (client: Client) =>
    bulk.mutate(
      { ids: [client.id], act: client.enabled ? "disable" : "enable" },
      {
        onSuccess: () => toastDone(t(client.enabled ? "disabled" : "enabled", { name: client.label })),
        onError: (error) => toastProblem(t("changeFailed"), error),
      },
    );
  const reset = (client: Client) =>
    bulk.mutate(
      { ids: [client.id], act: "reset_traffic" },
      {
        onSuccess: () => toastDone(t("resetDone", { name: client.label })),
        onError: (error) => toastProblem(t("changeFailed"), error),
      },
    );
  const revoke = (client: Client) =>
    bulk.mutate(
      { ids: [client.id], act: "revoke" },
      {
        onSuccess: () => {
          toastDone(t("revoke.done", { name: client.label }));
          stay();
        },
      },
    );
  return (
    <>
      <PageHeader
        title={t("title")}
        meta={t("lead")}
        closed={block}
        actions={
          <>
            <Action kind="ghost" icon={IconDownload} onClick={() => void save()}>
              {t("export")}
            </Action>
            <Action icon={IconUpload} reason={block} onClick={() => setImporting(true)}>
              {t("import")}
            </Action>
            <Action kind="filled" icon={IconPlus} reason={block} onClick={() => setOpen("new")}>
              {t("add")}
            </Action>
          </>
        }
      />
      <FilterRow place={place} shown={list.data?.items ?? []} onChange={setPlace} />
      <ClientsView
        state={viewState(list)}
        onClear={isFiltered(place) ? () => setPlace(unfiltered) : undefined}
        sorting={{ value: filter.sort, onChange: (sort) => setPlace({ sort: sort as ClientsSearch["sort"] }) }}
        more={list.hasNextPage ? { load: () => void list.fetchNextPage(), busy: list.isFetchingNextPage } : undefined}
        block={block}
        onAdd={() => setOpen("new")}
        onEdit={setOpen}
        onTurn={turn}
        onReset={reset}
        onRevoke={setLeaving}
      />
      <ClientDialog client={open} onClose={() => setOpen(undefined)} />
      {importing && <ImportDialog onClose={() => setImporting(false)} />}
      <Confirm
        opened={leaving !== undefined}
        onClose={stay}
        onConfirm={() => leaving && revoke(leaving)}
        title={t("revoke.title", { name: leaving?.label ?? "" })}
        consequences={[t("revoke.now"), t("revoke.apply"), t("revoke.final")]}
        verb={t("revoke.verb")}
        busy={bulk.isPending}
        error={bulk.error}
      />
    </>
  );
}
