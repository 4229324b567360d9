import { useInfiniteQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Tag } from "@/components/status/status";
import type { Column } from "@/components/table/data-table";
import { RelativeTime } from "@/components/text/relative-time";
import classes from "../proxypanel.module.css";
import { inboundsQuery, type PanelInbound } from "./api";
import { useSquadNames } from "./names";
import { ObjectList, useNarrowing } from "./object-list";
import { PanelPage, useConnectionId } from "./panel-page";

/** What users of a proxy panel come in by. */
export default function InboundsPage() {
  const id = useConnectionId();
  const { q, view } = useNarrowing();
  const list = useInfiniteQuery(inboundsQuery(id, { q, gone: view === "gone" }));
  const columns = useColumns(id);
  return (
    <PanelPage current="inbounds">
      {() => (
        <ObjectList
          tab="inbounds"
          connectionId={id}
          list={list}
          columns={columns}
          rowId={(inbound) => inbound.id}
          rowName={({ name }) => name}
          phone={(inbound) => (
            <>
              <span className={`${classes.cut} strong mono`}>{inbound.name}</span>
              <span className={classes.phone}>{spoken(inbound)}</span>
            </>
          )}
        />
      )}
    </PanelPage>
  );
}

const ours = "flow.";

function spoken({ protocol, network, security, port }: PanelInbound): string {
  return [protocol, network, security, port > 0 && String(port)].filter(Boolean).join(" · ");
}

function useColumns(connectionId: string): Column<PanelInbound>[] {
  const { t } = useTranslation("proxypanel");
  const squads = useSquadNames(connectionId);
  return [
    {
      key: "name",
      head: t("inbound.tag"),
      cell: (inbound) => (
        <span className={classes.two}>
          <span className="mono" title={inbound.name}>
            {inbound.name}
          </span>
          <span className={classes.second}>{inbound.name.startsWith(ours) && <Tag>{t("ours")}</Tag>}</span>
        </span>
      ),
    },
    { key: "spoken", head: t("inbound.spoken"), width: 240, cell: (inbound) => spoken(inbound) },
    {
      key: "squads",
      head: t("tab.squads"),
      width: 220,
      drop: 1,
      cell: (inbound) => <span className="soft">{squads(inbound.squads) || "—"}</span>,
    },
    {
      key: "seen",
      head: t("list.changed"),
      width: 120,
      drop: 2,
      cell: ({ seen_at: at, gone_at: gone }) => <RelativeTime at={gone ?? at} />,
    },
  ];
}
