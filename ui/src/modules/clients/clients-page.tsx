import { Menu, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { IconDownload, IconPlus, IconSearch, IconUpload } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { z } from "zod";
import { useWriteBlock } from "@/api/access";
import { Action } from "@/components/action/action";
import { RowMenu } from "@/components/action/row-menu";
import { Confirm } from "@/components/dialog/confirm";
import { PageHeader } from "@/components/layout/page-header";
import { saveFile } from "@/components/screen/save-file";
import { useSearchState } from "@/components/screen/use-search";
import { viewState } from "@/components/state/states";
import { toastDone, toastProblem } from "@/components/state/toast";
import { FilterButton, FilterChips, type FilterField } from "@/components/table/filter-chips";
import { clientsQuery, exported, flowNamesQuery, useBulk, type Client, type ClientState } from "./api";
import { ClientDialog } from "./client-dialog";
import classes from "./clients.module.css";
import { ClientsView } from "./clients-view";
import { ImportDialog } from "./import-dialog";

const states = ["active", "disabled", "expired", "spent", "revoked"] as const;
const text = z.coerce.string().max(100).optional().catch(undefined);

/** What the address of the list says. */
const search = z.object({
  q: text,
  tag: text,
  flow_id: text,
  state: z.enum(states).optional().catch(undefined),
  sort: z
    .enum([
      "label",
      "-label",
      "created_at",
      "-created_at",
      "expires_at",
      "-expires_at",
      "used",
      "-used",
      "last_seen_at",
      "-last_seen_at",
    ])
    .optional()
    .catch(undefined),
});

type Place = z.output<typeof search>;

/** Who uses flows: find, add, change, hand out, revoke. */
export default function ClientsPage() {
  const { t } = useTranslation("clients");
  const [place, setPlace] = useSearchState(search);
  const filter = { ...place, sort: place.sort ?? "label" };
  const list = useInfiniteQuery(clientsQuery(filter));
  const block = useWriteBlock({ needs: "connection_units.edit", feature: "flows" });
  const bulk = useBulk();
  const [open, setOpen] = useState<Client | "new">();
  const [importing, setImporting] = useState(false);
  const [leaving, setLeaving] = useState<Client>();
  const fields = useFields(place, setPlace);
  const find = useDebouncedCallback((q: string) => setPlace({ q: q || undefined }), 200);
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
  return (
    <>
      <PageHeader
        title={t("title")}
        meta={t("lead")}
        closed={block}
        actions={
          <>
            <RowMenu name={t("title")}>
              <Menu.Item leftSection={<IconDownload size={15} aria-hidden />} onClick={() => void save()}>
                {t("export")}
              </Menu.Item>
              <Menu.Item
                leftSection={<IconUpload size={15} aria-hidden />}
                disabled={block !== undefined}
                onClick={() => setImporting(true)}
              >
                {t("import")}…
              </Menu.Item>
            </RowMenu>
            <Action kind="filled" icon={IconPlus} reason={block} onClick={() => setOpen("new")}>
              {t("add")}
            </Action>
          </>
        }
      />
      <div className={classes.tools}>
        <TextInput
          className={classes.search}
          aria-label={t("search")}
          placeholder={t("search")}
          data-search
          leftSection={<IconSearch size={15} stroke={1.6} aria-hidden />}
          defaultValue={place.q}
          onChange={(event) => find(event.currentTarget.value)}
        />
        <FilterChips
          fields={fields}
          onClear={() => setPlace({ state: undefined, tag: undefined, flow_id: undefined })}
        />
        <FilterButton fields={fields} />
      </div>
      <ClientsView
        state={viewState(list)}
        filtered={Boolean(place.q) || fields.some(({ value }) => value !== undefined)}
        sorting={{ value: filter.sort, onChange: (sort) => setPlace({ sort: sort as Place["sort"] }) }}
        more={list.hasNextPage ? { load: () => void list.fetchNextPage(), busy: list.isFetchingNextPage } : undefined}
        block={block}
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
        onConfirm={() => leaving && bulk.mutate({ ids: [leaving.id], act: "revoke" }, { onSuccess: stay })}
        title={t("revoke.title", { name: leaving?.label ?? "" })}
        consequences={[t("revoke.now"), t("revoke.apply"), t("revoke.final")]}
        verb={t("revoke.verb")}
        busy={bulk.isPending}
        error={bulk.error}
      />
    </>
  );
}

function useFields(place: Place, onChange: (change: Partial<Place>) => void): FilterField[] {
  const { t } = useTranslation("clients");
  const flows = useQuery(flowNamesQuery).data ?? [];
  const fields: FilterField[] = [
    {
      key: "state",
      label: t("columns.state"),
      value: place.state,
      options: states.map((value) => ({ value, label: t(`state.${value}`) })),
      onChange: (state) => onChange({ state: state as ClientState | undefined }),
    },
    {
      key: "flow_id",
      label: t("columns.flows"),
      value: place.flow_id,
      options: flows,
      onChange: (flow_id) => onChange({ flow_id }),
    },
  ];
  if (place.tag)
    fields.push({
      key: "tag",
      label: t("columns.tags"),
      value: place.tag,
      options: [{ value: place.tag, label: place.tag }],
      onChange: (tag) => onChange({ tag }),
    });
  return fields;
}
