import { Menu } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { RowMenu } from "@/components/action/row-menu";
import { Tag } from "@/components/status/status";
import { DataTable, type Column } from "@/components/table/data-table";
import { useTableLook } from "@/components/table/use-table-look";
import { RelativeTime } from "@/components/text/relative-time";
import { useFormat } from "@/text/use-format";
import { type Asset } from "./api";
import { AssetActDialog, closedActs, type AssetAct } from "./asset-acts";
import classes from "./geo.module.css";
import { AssetStatus } from "./state";
import { RejectWord } from "./trouble";

interface AssetTableProps {
  assets: Asset[];
  block: string | undefined;
  onEdit: (asset: Asset) => void;
}

/** All files, with what they hold and how many nodes have them. */
export function AssetTable({ assets, block, onEdit }: AssetTableProps) {
  const { t } = useTranslation("geo");
  const [act, setAct] = useState<{ act: AssetAct; asset: Asset }>();
  return (
    <>
      <DataTable
        label={t("title")}
        rows={assets}
        total={assets.length}
        columns={useColumns()}
        look={useTableLook("geo-assets")}
        rowId={({ id }) => id}
        rowName={({ name }) => name}
        rowHeight="two"
        menu={(asset) => (
          <AssetMenu asset={asset} block={block} onEdit={onEdit} onAct={(chosen) => setAct({ act: chosen, asset })} />
        )}
        phone={(asset) => (
          <>
            <AssetName asset={asset} />
            <span className={classes.phone}>
              <AssetStatus asset={asset} /> <Holders asset={asset} />
            </span>
          </>
        )}
      />
      {act && <AssetActDialog {...act} onClose={() => setAct(undefined)} />}
    </>
  );
}

interface AssetMenuProps {
  asset: Asset;
  block: string | undefined;
  onEdit: (asset: Asset) => void;
  onAct: (act: AssetAct) => void;
}

function AssetMenu({ asset, block, onEdit, onAct }: AssetMenuProps) {
  const { t } = useTranslation("geo");
  const closed = closedActs(asset);
  const item = (act: AssetAct) => {
    const reason = block ?? (closed[act] && t(closed[act]));
    return (
      <Menu.Item
        disabled={reason !== undefined}
        title={reason}
        onClick={() => onAct(act)}
        color={act === "remove" ? "red" : undefined}
      >
        {t(`act.${act}.menu`)}
      </Menu.Item>
    );
  };
  return (
    <RowMenu name={asset.name}>
      {item("update")}
      {item("distribute")}
      {item("rollback")}
      <Menu.Item disabled={block !== undefined} title={block} onClick={() => onEdit(asset)}>
        {t("change")}
      </Menu.Item>
      <Menu.Divider />
      {item("remove")}
    </RowMenu>
  );
}

function AssetName({ asset }: { asset: Asset }) {
  const { t } = useTranslation("geo");
  return (
    <span>
      <Link to={`/geo/${asset.id}`} className="strong">
        {asset.name}
      </Link>{" "}
      {asset.pinned && <Tag>{t("pinned")}</Tag>}
    </span>
  );
}

function Holders({ asset: { nodes, version } }: { asset: Asset }) {
  const { t } = useTranslation("geo");
  const format = useFormat();
  if (version === null || nodes.total === 0) return <span className="dim">—</span>;
  return (
    <span className={classes.two}>
      <span className="num">
        {t("nodes.of", { current: format.number(nodes.current), total: format.number(nodes.total) })}
      </span>
      {nodes.failed > 0 && (
        <span className={classes.bad}>{t("nodes.failed", { shown: format.number(nodes.failed) })}</span>
      )}
    </span>
  );
}

function useColumns(): Column<Asset>[] {
  const { t } = useTranslation("geo");
  const format = useFormat();
  return [
    {
      key: "name",
      head: t("head.name"),
      cell: (asset) => (
        <span className={classes.two}>
          <AssetName asset={asset} />
          <span className={classes.second} title={asset.source_url}>
            {t(`preset.${asset.preset}`)}
          </span>
        </span>
      ),
    },
    {
      key: "state",
      head: t("head.state"),
      width: 230,
      cell: (asset) => (
        <span className={classes.two}>
          <AssetStatus asset={asset} inTable />
          <span className={classes.second}>
            <RejectWord asset={asset} />
          </span>
        </span>
      ),
    },
    {
      key: "holds",
      head: t("head.holds"),
      width: 170,
      drop: 2,
      cell: ({ version }) =>
        version === null ? (
          <span className="dim">{t("noVersion")}</span>
        ) : (
          <span className={classes.two}>
            <span className="num">{t("categories", { count: version.categories })}</span>
            <span className={`${classes.second} num`}>
              {t("entries", { count: version.entries, shown: format.number(version.entries) })}
            </span>
          </span>
        ),
    },
    { key: "nodes", head: t("head.nodes"), width: 130, cell: (asset) => <Holders asset={asset} /> },
    {
      key: "age",
      head: t("head.age"),
      width: 130,
      drop: 1,
      cell: ({ version }) => (version === null ? "—" : <RelativeTime at={version.fetched_at} />),
    },
    {
      key: "next",
      head: t("head.next"),
      width: 130,
      drop: 3,
      cell: ({ next_update_at: at, pinned }) =>
        at === null || pinned ? (
          <span className="dim">{t(pinned ? "pinned" : "byHand")}</span>
        ) : (
          <RelativeTime at={at} />
        ),
    },
  ];
}
