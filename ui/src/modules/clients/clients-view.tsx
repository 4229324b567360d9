import { Menu } from "@mantine/core";
import { IconPlus, IconUsers } from "@tabler/icons-react";
import { Link, useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { RowMenu } from "@/components/action/row-menu";
import { ProblemView } from "@/components/state/problem-view";
import { EmptyState, Skeleton, type ViewState } from "@/components/state/states";
import { Glyph } from "@/components/status/glyph";
import { Tag } from "@/components/status/status";
import { DataTable, type Column, type Sorting } from "@/components/table/data-table";
import { NameCell } from "@/components/table/name-cell";
import type { OwnLook } from "@/components/table/use-table-look";
import { RelativeTime } from "@/components/text/relative-time";
import { useFormat } from "@/text/use-format";
import type { Chosen } from "./use-chosen";
import type { Client, Listed } from "./api";
import type { ClientAct } from "./acts/effects";
import { End, State } from "./client-state";
import { ClientsBar } from "./clients-bar";
import classes from "./clients.module.css";

interface ClientsViewProps {
  state: ViewState<Listed>;
  /** Takes the filters off; without any, an empty list says what clients are. */
  onClear: (() => void) | undefined;
  sorting: Sorting;
  more: { load: () => void; busy: boolean } | undefined;
  /** Why nothing may be changed. */
  block: string | undefined;
  onAdd: () => void;
  onEdit: (client: Client) => void;
  onAddress: (client: Client) => void;
  onAct: (act: ClientAct, clients: readonly Client[]) => void;
  own: OwnLook;
  chosen: Chosen;
}

export function ClientsView({ state, onClear, sorting, more, onAdd, own, chosen, ...acts }: ClientsViewProps) {
  const { t } = useTranslation("clients");
  const navigate = useNavigate();
  const columns = useColumns();
  if (state.kind === "loading") return <Skeleton rows={8} />;
  if (state.kind === "error") return <ProblemView error={state.error} onRetry={state.retry} tried={t("loadFailed")} />;
  return (
    <>
      <DataTable
        label={t("title")}
        rows={state.data.items}
        total={state.data.total}
        columns={columns}
        rowId={(client) => client.id}
        rowName={(client) => client.label}
        look={own}
        selection={chosen.selection}
        bar={
          <ClientsBar
            clients={chosen.clients}
            every={chosen.every}
            block={acts.block}
            onAct={(act) => acts.onAct(act, chosen.clients)}
            onClear={chosen.clear}
          />
        }
        onOpen={(client) => void navigate({ to: "/clients/$id", params: { id: client.id } })}
        onEdit={acts.block === undefined ? acts.onEdit : undefined}
        sorting={sorting}
        onCreate={acts.block === undefined ? onAdd : undefined}
        onMore={more?.load}
        loadingMore={more?.busy}
        menu={(client) => (client.state === "revoked" ? null : <Acts client={client} {...acts} />)}
        phone={(client) => (
          <>
            <Link to="/clients/$id" params={{ id: client.id }} className={`strong ${classes.long}`}>
              {client.label}
            </Link>
            <span className={classes.phone}>
              <State state={client.state} />
              <Flows client={client} />
              {(client.quota || client.last_seen_at) && <Used client={client} />}
              {client.expires_at && client.state === "active" && (
                <span className="dim">
                  {t("expires")} <RelativeTime at={client.expires_at} />
                </span>
              )}
              {client.lasts_days && <End client={client} />}
            </span>
          </>
        )}
        empty={
          onClear ? (
            <EmptyState title={t("empty.nothing")} act={<Action onClick={onClear}>{t("empty.clear")}</Action>} />
          ) : (
            <EmptyState
              icon={IconUsers}
              title={t("empty.title")}
              act={
                <Action kind="filled" icon={IconPlus} reason={acts.block} onClick={onAdd}>
                  {t("add")}
                </Action>
              }
            >
              {t("empty.text")}
            </EmptyState>
          )
        }
      />
      <Legend clients={state.data.items} />
    </>
  );
}

function useColumns(): Column<Client>[] {
  const { t } = useTranslation("clients");
  return [
    {
      key: "label",
      head: t("columns.label"),
      sort: "label",
      cell: (client) => (
        <NameCell title={client.note || client.label}>
          <Link to="/clients/$id" params={{ id: client.id }}>
            {client.label}
          </Link>
        </NameCell>
      ),
    },
    { key: "state", head: t("columns.state"), width: 150, cell: (client) => <State state={client.state} inTable /> },
    { key: "flows", head: t("columns.flows"), width: 220, drop: 2, cell: (client) => <Flows client={client} /> },
    {
      key: "tags",
      head: t("columns.tags"),
      width: 180,
      drop: 4,
      cell: (client) => (
        <span className={classes.tags}>
          {client.tags.map((tag) => (
            <Tag key={tag}>{tag}</Tag>
          ))}
        </span>
      ),
    },
    {
      key: "used",
      head: t("columns.used"),
      sort: "used",
      width: 160,
      cell: (client) => <Used client={client} />,
    },
    {
      key: "seen",
      head: t("columns.seen"),
      sort: "last_seen_at",
      width: 120,
      drop: 3,
      cell: (client) =>
        client.online ? (
          t("onlineNow")
        ) : client.last_seen_at ? (
          <RelativeTime at={client.last_seen_at} />
        ) : (
          <span className="dim">{t("neverSeen")}</span>
        ),
    },
    {
      key: "expires",
      head: t("columns.expires"),
      sort: "expires_at",
      width: 136,
      drop: 1,
      cell: (client) => <End client={client} short />,
    },
    {
      key: "created",
      head: t("columns.created"),
      sort: "created_at",
      width: 130,
      drop: 5,
      cell: (client) => <RelativeTime at={client.created_at} />,
    },
  ];
}

/** What a client has carried since its quota began, and of how much. */
function Used({ client }: { client: Client }) {
  const { t } = useTranslation("clients");
  const format = useFormat();
  const used = format.bytes(client.used.up + client.used.down);
  return (
    <span className="num" title={t("since", { when: format.moment(client.used.since) })}>
      {client.quota ? t("usedOf", { used, quota: format.bytes(client.quota.bytes) }) : used}
    </span>
  );
}

type Use = Client["flows"][number];

/** Whether the nodes of a flow are to let the client in and do not yet. */
const awaited = (use: Use) => !use.installed && !use.elsewhere;

/** The flows that a client may use; one that waits for an apply has a mark. */
function Flows({ client }: { client: Client }) {
  const { t } = useTranslation("clients");
  if (client.flows.length === 0) return <span className="dim">{t("noFlows")}</span>;
  const waits = (use: Use) => client.state === "active" && awaited(use);
  const told = client.flows.map((use) =>
    waits(use) ? t(use.by_apply ? "waits" : "coming", { name: use.flow_name }) : use.flow_name,
  );
  return (
    <span className="soft" title={told.join("\n")}>
      {client.flows.map((use, at) => (
        <span key={use.flow_id} className={classes.flow}>
          {at > 0 && ", "}
          {use.flow_name}
          {waits(use) && (
            <>
              {" "}
              <Glyph kind="draft" size={10} label={t("legend.waits")} />
            </>
          )}
        </span>
      ))}
    </span>
  );
}

/** What the mark beside a flow means; drawn only where one is. */
function Legend({ clients }: { clients: readonly Client[] }) {
  const { t } = useTranslation("clients");
  if (!clients.some(({ state, flows }) => state === "active" && flows.some(awaited))) return null;
  return (
    <p className={classes.legend}>
      <Glyph kind="draft" /> {t("legend.text")}
    </p>
  );
}

type ActsProps = Pick<ClientsViewProps, "block" | "onEdit" | "onAddress" | "onAct"> & { client: Client };

function Acts({ client, block, onEdit, onAddress, onAct }: ActsProps) {
  const { t } = useTranslation("clients");
  const closed = block !== undefined;
  const act = (name: ClientAct) => () => onAct(name, [client]);
  return (
    <RowMenu name={client.label}>
      <Menu.Item disabled={closed} onClick={() => onEdit(client)}>
        {t("edit")}…
      </Menu.Item>
      <Menu.Item disabled={closed} onClick={() => onAddress(client)}>
        {t(client.has_public_link ? "address.makeNew" : "address.make")}…
      </Menu.Item>
      <Menu.Item disabled={closed} onClick={act(client.enabled ? "disable" : "enable")}>
        {t(client.enabled ? "disable" : "enable")}…
      </Menu.Item>
      <Menu.Item disabled={closed} onClick={act("reset_traffic")}>
        {t("resetUsed")}…
      </Menu.Item>
      <Menu.Divider />
      <Menu.Item data-danger disabled={closed} onClick={act("revoke")}>
        {t("bar.revoke")}
      </Menu.Item>
    </RowMenu>
  );
}
