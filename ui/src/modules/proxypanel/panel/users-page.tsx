import { useInfiniteQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { GlyphKind } from "@/components/status/glyph";
import { Status } from "@/components/status/status";
import type { Column } from "@/components/table/data-table";
import { RelativeTime } from "@/components/text/relative-time";
import { useFormat } from "@/text/use-format";
import classes from "../proxypanel.module.css";
import { userStatuses, usersQuery, type PanelUser, type UserStatus } from "./api";
import { useNodeNames, useSquadNames } from "./names";
import { ObjectList, useNarrowing } from "./object-list";
import { PanelPage, useConnectionId } from "./panel-page";

/** The users who live in a proxy panel, with what they have used; never their credentials. */
export default function UsersPage() {
  const { t } = useTranslation("proxypanel");
  const id = useConnectionId();
  const { q, view } = useNarrowing();
  const status = userStatuses.find((one) => one === view);
  const list = useInfiniteQuery(usersQuery(id, { q, gone: view === "gone", status }));
  const columns = useColumns(id);
  return (
    <PanelPage current="users">
      {() => (
        <ObjectList
          tab="users"
          connectionId={id}
          list={list}
          columns={columns}
          rowId={(user) => String(user.id)}
          rowName={({ username }) => username}
          views={userStatuses.map((key) => ({ key, label: t(`user.status.${key}`) }))}
          phone={(user) => (
            <>
              <span className="strong">{user.username}</span>
              <span className={classes.phone}>
                <StatusOf user={user} /> <Traffic user={user} />
              </span>
            </>
          )}
        />
      )}
    </PanelPage>
  );
}

const glyphs: Record<UserStatus, GlyphKind> = {
  ACTIVE: "healthy",
  DISABLED: "skipped",
  LIMITED: "degraded",
  EXPIRED: "no-data",
};

function StatusOf({ user, inTable }: { user: PanelUser; inTable?: boolean }) {
  const { t } = useTranslation("proxypanel");
  const known = userStatuses.find((one) => one === user.status);
  if (user.gone_at) return <Status kind="skipped">{t("list.gone")}</Status>;
  if (!known) return <span className="soft">{user.status}</span>;
  return (
    <Status kind={glyphs[known]} inTable={inTable}>
      {t(`user.status.${known}`)}
    </Status>
  );
}

function Traffic({ user }: { user: PanelUser }) {
  const { t } = useTranslation("proxypanel");
  const format = useFormat();
  const used = format.bytes(user.traffic_used);
  return (
    <span className="num">
      {user.traffic_limit > 0 ? t("user.trafficOf", { used, limit: format.bytes(user.traffic_limit) }) : used}
    </span>
  );
}

function useColumns(connectionId: string): Column<PanelUser>[] {
  const { t } = useTranslation("proxypanel");
  const format = useFormat();
  const squads = useSquadNames(connectionId);
  const nodes = useNodeNames(connectionId);
  return [
    {
      key: "name",
      head: t("user.name"),
      cell: (user) => (
        <span className={classes.two}>
          <span className="strong">{user.username}</span>
          <span className={classes.second}>{[`№ ${user.id}`, user.tag].filter(Boolean).join(" · ")}</span>
        </span>
      ),
    },
    { key: "status", head: t("user.state"), width: 130, cell: (user) => <StatusOf user={user} inTable /> },
    { key: "traffic", head: t("user.traffic"), width: 170, cell: (user) => <Traffic user={user} /> },
    {
      key: "squads",
      head: t("tab.squads"),
      width: 180,
      drop: 3,
      cell: (user) => <span className="soft">{squads(user.squads) || "—"}</span>,
    },
    {
      key: "online",
      head: t("user.online"),
      width: 190,
      drop: 1,
      cell: ({ online_at: at, last_node_id: node }) => (
        <span className={classes.two}>
          <span>{at === null ? t("never") : <RelativeTime at={at} />}</span>
          <span className={classes.second}>{node === null ? "" : nodes([node])}</span>
        </span>
      ),
    },
    {
      key: "expires",
      head: t("user.expires"),
      width: 130,
      drop: 2,
      cell: ({ expires_at: at }) => (at === null ? "—" : <span className="num">{format.date(at)}</span>),
    },
  ];
}
