import { useInfiniteQuery } from "@tanstack/react-query";
import { IconServerOff } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { z } from "zod";
import { SavedViews } from "@/components/layout/tabs";
import { useSearchState } from "@/components/screen/use-search";
import { EmptyState } from "@/components/state/states";
import type { Column } from "@/components/table/data-table";
import { Listing } from "@/components/table/listing";
import { useTableLook } from "@/components/table/use-table-look";
import { RelativeTime } from "@/components/text/relative-time";
import { holdersQuery, type HoldingNode } from "../api";
import classes from "../geo.module.css";
import { HeldStatus, shortDigest } from "../state";
import { AssetPage, useAssetId } from "./asset-page";

const states = ["current", "waiting", "failed", "offline", "not_supported"] as const;
const search = z.object({ state: z.enum(states).optional().catch(undefined) });

/** Which nodes have which version of a file. */
export default function NodesPage() {
  const { t } = useTranslation("geo");
  const id = useAssetId();
  const [{ state }] = useSearchState(search);
  const list = useInfiniteQuery(holdersQuery(id, state));
  const look = useTableLook("geo-nodes");
  const columns = useColumns();
  const to = `/geo/${id}/nodes`;
  return (
    <AssetPage current="nodes">
      {() => (
        <>
          <SavedViews
            label={t("nodes.views")}
            current={state ?? "all"}
            views={[
              { key: "all", label: t("nodes.all"), link: { to, search: {} } },
              ...states.map((key) => ({ key, label: t(`held.${key}`), link: { to, search: { state: key } as never } })),
            ]}
          />
          <Listing
            list={list}
            tried={t("loadFailed")}
            label={t("tab.nodes")}
            columns={columns}
            look={look}
            rowId={(node) => node.node_id}
            rowName={(node) => node.node_name}
            rowHeight="two"
            phone={(node) => (
              <>
                <Link to={`/nodes/${node.node_id}`} className="strong">
                  {node.node_name}
                </Link>
                <span className={classes.phone}>
                  <HeldStatus state={node.state} /> {node.error && <span className="soft">{node.error}</span>}
                </span>
              </>
            )}
            empty={<EmptyState icon={IconServerOff} title={t("nodes.none")} />}
          />
        </>
      )}
    </AssetPage>
  );
}

function useColumns(): Column<HoldingNode>[] {
  const { t } = useTranslation("geo");
  return [
    {
      key: "node",
      head: t("nodes.node"),
      cell: (node) => (
        <Link to={`/nodes/${node.node_id}`} className="strong">
          {node.node_name}
        </Link>
      ),
    },
    {
      key: "state",
      head: t("head.state"),
      width: 260,
      cell: ({ state, error }) => (
        <span className={classes.two}>
          <HeldStatus state={state} inTable />
          <span className={classes.second} title={error || undefined}>
            {error}
          </span>
        </span>
      ),
    },
    {
      key: "version",
      head: t("nodes.version"),
      width: 150,
      drop: 1,
      cell: ({ sha256 }) => (sha256 === "" ? "—" : <code className="mono">{shortDigest(sha256)}</code>),
    },
    {
      key: "ring",
      head: t("nodes.ring"),
      width: 90,
      drop: 2,
      cell: ({ ring }) => <span className="num">{ring}</span>,
    },
    {
      key: "at",
      head: t("nodes.since"),
      width: 130,
      drop: 3,
      cell: ({ at }) => (at === null ? "—" : <RelativeTime at={at} />),
    },
  ];
}
