import { TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useInfiniteQuery } from "@tanstack/react-query";
import { IconDownload, IconPlayerPlay, IconPlus, IconSearch, IconUser } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { Confirm } from "@/components/dialog/confirm";
import { useSearchState } from "@/components/screen/use-search";
import { ProblemView } from "@/components/state/problem-view";
import { EmptyState, Skeleton } from "@/components/state/states";
import { toastDone, toastProblem } from "@/components/state/toast";
import { Glyph } from "@/components/status/glyph";
import { DataTable } from "@/components/table/data-table";
import { useEditor } from "../editor/editor-context";
import editor from "../editor/editor.module.css";
import { useCompileNow } from "../plan/use-compile-now";
import { clientsQuery, everyClient, useRevokeClient, type Client } from "../shared/api";
import { waitingClients } from "../shared/states";
import { AddClient } from "./add-client";
import { ClientActs } from "./client-acts";
import { saveClientsCsv } from "./clients-csv";
import { clientsSearch, type ClientsSearch } from "./clients-search";
import classes from "./clients.module.css";
import { LinkDialog, PublicLinkDialog } from "./link-dialog";
import { ClientLink, ClientName, ClientStatus, useClientColumns } from "./use-client-columns";

/** Who may connect through the flow: find, add, hand out, revoke. */
export default function ClientsTab() {
  const { t } = useTranslation("flows");
  const { flow, closed } = useEditor();
  const [search, setSearch] = useSearchState(clientsSearch);
  const clients = useInfiniteQuery(clientsQuery(flow.id, search));
  const [adding, setAdding] = useState(false);
  const [linked, setLinked] = useState<Client>();
  const [shared, setShared] = useState<Client>();
  const [revoking, setRevoking] = useState<Client>();
  const columns = useClientColumns(setLinked);
  const rows = clients.data?.items ?? [];
  const [saving, setSaving] = useState(false);
  const saveCsv = () => {
    setSaving(true);
    everyClient(flow.id, search)
      .then((all) => saveClientsCsv(flow, all))
      .catch((error: unknown) => toastProblem(t("clients.csvFailed"), error))
      .finally(() => setSaving(false));
  };
  const find = useDebouncedCallback((q: string) => setSearch({ q: q || undefined }), 150);
  return (
    <div className={editor.page}>
      <div className={classes.tools}>
        <TextInput
          className={classes.search}
          aria-label={t("clients.search")}
          placeholder={t("clients.search")}
          data-search
          leftSection={<IconSearch size={15} stroke={1.6} aria-hidden />}
          defaultValue={search.q}
          onChange={(event) => find(event.currentTarget.value)}
        />
        {rows.length > 0 && (
          <Action kind="ghost" icon={IconDownload} busy={saving} onClick={saveCsv}>
            CSV
          </Action>
        )}
        <Action icon={IconPlus} onClick={() => setAdding(true)} reason={closed}>
          {t("clients.add")}
        </Action>
      </div>
      <Waiting />
      {clients.error && !clients.data && <ProblemView error={clients.error} onRetry={() => void clients.refetch()} />}
      {clients.isPending && <Skeleton rows={3} />}
      {clients.data && (
        <DataTable
          label={t("clients.title")}
          rows={rows}
          total={clients.data.total}
          onMore={clients.hasNextPage ? () => void clients.fetchNextPage() : undefined}
          loadingMore={clients.isFetchingNextPage}
          onCreate={closed === undefined ? () => setAdding(true) : undefined}
          columns={columns}
          rowId={(client) => client.id}
          rowName={(client) => client.label}
          sorting={{ value: search.sort, onChange: (sort) => setSearch({ sort: sort as ClientsSearch["sort"] }) }}
          menu={(client) =>
            client.revoked_at === null ? (
              <ClientActs client={client} onShare={() => setShared(client)} onRevoke={() => setRevoking(client)} />
            ) : null
          }
          phone={(client) => (
            <span className={classes.phone}>
              <ClientName client={client} />
              <ClientStatus client={client} />
              <ClientLink client={client} onLink={setLinked} />
            </span>
          )}
          empty={
            search.q ? (
              <EmptyState title={t("clients.nothing")} />
            ) : (
              <EmptyState icon={IconUser} title={t("clients.none")}>
                {t("clients.noneText")}
              </EmptyState>
            )
          }
        />
      )}
      <p className={classes.note}>{t("clients.note")}</p>
      {adding && <AddClient onClose={() => setAdding(false)} />}
      {linked && <LinkDialog flow={flow} client={linked} onClose={() => setLinked(undefined)} />}
      {shared && <PublicLinkDialog client={shared} onClose={() => setShared(undefined)} />}
      {revoking && <Revoke client={revoking} onClose={() => setRevoking(undefined)} />}
    </div>
  );
}

/** Says plainly that clients wait, and what has to be done. */
function Waiting() {
  const { t } = useTranslation("flows");
  const { flow, changes } = useEditor();
  const compile = useCompileNow(flow.id);
  const count = waitingClients(flow);
  if (count === 0 || flow.state === "applying") return null;
  return (
    <div className={classes.waiting} role="status">
      <Glyph kind="draft" />
      <span>
        {t("clients.waiting", { count })}{" "}
        {changes && changes.length > 0 && t("clients.alsoDraft", { count: changes.length })}
      </span>
      <Action icon={IconPlayerPlay} busy={compile.busy} reason={compile.blocked} onClick={compile.start}>
        {t("next.compile")}
      </Action>
    </div>
  );
}

function Revoke({ client, onClose }: { client: Client; onClose: () => void }) {
  const { t } = useTranslation("flows");
  const { flow } = useEditor();
  const revoke = useRevokeClient(flow.id);
  return (
    <Confirm
      opened
      onClose={onClose}
      title={t("clients.revokeTitle", { name: client.label })}
      consequences={[t("clients.revokeNow"), t("clients.revokeApply"), t("clients.revokeFinal")]}
      verb={t("clients.revoke")}
      busy={revoke.isPending}
      error={revoke.error}
      onConfirm={() =>
        revoke.mutate(client.id, {
          onSuccess: () => {
            toastDone(t("clients.revoked", { name: client.label }));
            onClose();
          },
        })
      }
    />
  );
}
