import { useInfiniteQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Status, Tag } from "@/components/status/status";
import type { Column } from "@/components/table/data-table";
import { RelativeTime } from "@/components/text/relative-time";
import classes from "../proxypanel.module.css";
import { hostsQuery, type PanelHost } from "./api";
import { useInboundNames } from "./names";
import { ObjectList, useNarrowing } from "./object-list";
import { PanelPage, useConnectionId } from "./panel-page";

/** What users of a proxy panel are shown: one public address per row. */
export default function HostsPage() {
  const id = useConnectionId();
  const { q, view } = useNarrowing();
  const list = useInfiniteQuery(hostsQuery(id, { q, gone: view === "gone" }));
  const columns = useColumns(id);
  return (
    <PanelPage current="hosts">
      {() => (
        <ObjectList
          tab="hosts"
          connectionId={id}
          list={list}
          columns={columns}
          rowId={(host) => host.id}
          rowName={(host) => host.name}
          phone={(host) => (
            <>
              <span className="strong">{host.name}</span>
              <span className={classes.phone}>
                <Shown host={host} /> <span className="mono">{endpoint(host)}</span>
              </span>
            </>
          )}
        />
      )}
    </PanelPage>
  );
}

const ours = "MANAGED:";

/** A host that an apply of a flow has made carries this tag. */
export const isOurs = ({ tags }: Pick<PanelHost, "tags">) => tags.some((tag) => tag.startsWith(ours));

function endpoint({ address, port }: PanelHost): string {
  return address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
}

function Shown({ host, inTable }: { host: PanelHost; inTable?: boolean }) {
  const { t } = useTranslation("proxypanel");
  if (host.gone_at) return <Status kind="skipped">{t("list.gone")}</Status>;
  if (host.disabled) return <Status kind="skipped">{t("host.disabled")}</Status>;
  if (host.hidden) return <Status kind="skipped">{t("host.hidden")}</Status>;
  return (
    <Status kind="healthy" inTable={inTable}>
      {t("host.shown")}
    </Status>
  );
}

function useColumns(connectionId: string): Column<PanelHost>[] {
  const { t } = useTranslation("proxypanel");
  const inbounds = useInboundNames(connectionId);
  return [
    {
      key: "name",
      head: t("host.name"),
      cell: (host) => (
        <span className={classes.two}>
          <span>
            <span className="strong">{host.name}</span> {isOurs(host) && <Tag>{t("ours")}</Tag>}
          </span>
          <span className={`${classes.second} mono`}>{endpoint(host)}</span>
        </span>
      ),
    },
    { key: "shown", head: t("host.state"), width: 140, cell: (host) => <Shown host={host} inTable /> },
    {
      key: "inbound",
      head: t("host.inbound"),
      width: 240,
      drop: 1,
      cell: ({ inbound_id: inbound }) =>
        inbound === null ? (
          <Status kind="degraded">{t("host.noInbound")}</Status>
        ) : (
          <span className={`${classes.cut} soft mono`} title={inbounds([inbound])}>
            {inbounds([inbound])}
          </span>
        ),
    },
    { key: "sni", head: "SNI", width: 170, drop: 2, cell: ({ sni }) => <span className="soft">{sni || "—"}</span> },
    {
      key: "seen",
      head: t("list.changed"),
      width: 120,
      drop: 3,
      cell: ({ seen_at: at, gone_at: gone }) => <RelativeTime at={gone ?? at} />,
    },
  ];
}
