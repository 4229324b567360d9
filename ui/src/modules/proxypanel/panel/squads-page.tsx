import { useInfiniteQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Column } from "@/components/table/data-table";
import { RelativeTime } from "@/components/text/relative-time";
import { useFormat } from "@/text/use-format";
import classes from "../proxypanel.module.css";
import { squadsQuery, type PanelSquad } from "./api";
import { useInboundNames } from "./names";
import { ObjectList, useNarrowing } from "./object-list";
import { PanelPage, useConnectionId } from "./panel-page";

/** Groups of users in a proxy panel, and what they may come in by. */
export default function SquadsPage() {
  const { t } = useTranslation("proxypanel");
  const format = useFormat();
  const id = useConnectionId();
  const { q, view } = useNarrowing();
  const list = useInfiniteQuery(squadsQuery(id, { q, gone: view === "gone" }));
  const inbounds = useInboundNames(id);
  const members = (squad: PanelSquad) =>
    t("squad.members", { count: squad.members, shown: format.number(squad.members) });
  const columns: Column<PanelSquad>[] = [
    { key: "name", head: t("squad.name"), cell: ({ name }) => <span className="strong">{name}</span> },
    { key: "members", head: t("squad.users"), width: 150, cell: members },
    {
      key: "inbounds",
      head: t("tab.inbounds"),
      width: 360,
      drop: 1,
      cell: (squad) => (
        <span className={`${classes.cut} soft mono`} title={inbounds(squad.inbounds)}>
          {inbounds(squad.inbounds) || "—"}
        </span>
      ),
    },
    {
      key: "seen",
      head: t("list.changed"),
      width: 120,
      drop: 2,
      cell: ({ seen_at: at, gone_at: gone }) => <RelativeTime at={gone ?? at} />,
    },
  ];
  return (
    <PanelPage current="squads">
      {() => (
        <ObjectList
          tab="squads"
          connectionId={id}
          list={list}
          columns={columns}
          rowId={(squad) => squad.id}
          rowName={({ name }) => name}
          phone={(squad) => (
            <>
              <span className="strong">{squad.name}</span>
              <span className={classes.phone}>{members(squad)}</span>
            </>
          )}
        />
      )}
    </PanelPage>
  );
}
