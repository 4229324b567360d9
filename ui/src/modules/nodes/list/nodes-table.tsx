import { Menu } from "@mantine/core";
import { Link, useNavigate } from "@tanstack/react-router";
import { useCallback, useState, type ComponentProps } from "react";
import { useFigures } from "@/api/figures";
import { useTranslation } from "react-i18next";
import { ActionLink } from "@/components/action/action";
import { RowMenu } from "@/components/action/row-menu";
import { usePhone } from "@/components/screen/use-phone";
import { EmptyState } from "@/components/state/states";
import { DataTable } from "@/components/table/data-table";
import type { OwnLook } from "@/components/table/use-table-look";
import { useSparks } from "../shared/fleet";
import type { Node } from "../shared/types";
import { NodesBar } from "./nodes-bar";
import type { NodesFilter } from "./nodes-filter";
import type { NodeActs, NodesData } from "./nodes-data";
import { PhoneBar } from "./phone-bar";
import { PhoneNode } from "./phone-node";
import { useChosen } from "./use-chosen";
import { useColumns } from "./use-columns";

/** A row has ten cells that move: of a page only what is in sight is worth drawing. */
const mostDrawn = 30;

interface NodesTableProps {
  data: NodesData;
  filter: NodesFilter;
  onFilter: (change: Partial<NodesFilter>) => void;
  block: string | undefined;
  more: { load: () => void; busy: boolean } | undefined;
  acts: NodeActs;
  own: OwnLook;
}

export function NodesTable({ data, filter, onFilter, block, more, acts, own }: NodesTableProps) {
  const { t } = useTranslation("nodes");
  const navigate = useNavigate();
  const phone = usePhone();
  const [choosing, setChoosing] = useState(false);
  const columns = useColumns(data.rows, onFilter);
  const chosen = useChosen(data.rows, data.total, filter);
  const [drawn, setDrawn] = useState<readonly string[]>([]);
  useFigures(drawn);
  useSparks(drawn);
  const { restart, maintain, remove } = acts;
  // The same function for the same acts: rows are then not drawn again when only something around them changes.
  const menu = useCallback(
    (node: Node) => <NodeMenu node={node} block={block} acts={{ restart, maintain, remove }} />,
    [block, restart, maintain, remove],
  );
  const sorting = { value: filter.sort ?? "state", onChange: (sort: string) => onFilter({ sort }) };
  return (
    <>
      <DataTable
        label={t("title")}
        rows={data.rows}
        total={data.total}
        columns={columns}
        rowId={(node) => node.id}
        rowName={(node) => node.name}
        look={own}
        mostDrawn={mostDrawn}
        onDrawn={setDrawn}
        sorting={sorting}
        selection={block || (phone && !choosing) ? undefined : chosen.selection}
        onMore={more?.load}
        loadingMore={more?.busy}
        onCreate={block ? undefined : () => void navigate({ to: "/nodes/new" })}
        onEdit={({ id }) => void navigate({ to: "/nodes/$id", params: { id }, search: { tab: "settings" } })}
        menu={menu}
        phone={(node) => <PhoneNode node={node} />}
        empty={
          <EmptyState title={t("nothing")} act={<ActionLink to="/nodes">{t("clear")}</ActionLink>}>
            {t("nothingText")}
          </EmptyState>
        }
        bar={<NodesBar nodes={chosen.nodes} every={chosen.every} onAct={acts.bulk} onClear={chosen.clear} />}
      />
      {phone && data.rows.length > 0 && (
        <PhoneBar
          columns={columns}
          sorting={sorting}
          choosing={choosing}
          onChoosing={
            block
              ? undefined
              : (on) => {
                  setChoosing(on);
                  if (!on) chosen.clear();
                }
          }
        />
      )}
    </>
  );
}

/** The menu's own types do not know those of a link. */
function EditLink({ id, ...rest }: { id: string } & Omit<ComponentProps<"a">, "href">) {
  return <Link {...rest} to="/nodes/$id" params={{ id }} search={{ tab: "settings" }} />;
}

type RowActs = Omit<NodeActs, "bulk">;

interface NodeMenuProps {
  node: Node;
  block: string | undefined;
  acts: RowActs;
}

function NodeMenu(props: NodeMenuProps) {
  return (
    <RowMenu name={props.node.name}>
      <NodeMenuItems {...props} />
    </RowMenu>
  );
}

/** Its words are looked up when a menu is opened, not for each row. */
function NodeMenuItems({ node, block, acts }: NodeMenuProps) {
  const { t } = useTranslation("nodes");
  const inMaintenance = node.state === "maintenance";
  return (
    <>
      {block && <Menu.Label>{block}</Menu.Label>}
      <Menu.Item component={Link} to={`/nodes/${node.id}`}>
        {t("acts.open")}
      </Menu.Item>
      <Menu.Item component={EditLink} id={node.id}>
        {t("acts.edit")}
      </Menu.Item>
      <Menu.Divider />
      <Menu.Item disabled={block !== undefined || !node.agent.connected} onClick={() => acts.restart(node)}>
        {t("acts.restart")}
      </Menu.Item>
      <Menu.Item disabled={block !== undefined} onClick={() => acts.maintain(node, !inMaintenance)}>
        {inMaintenance ? t("acts.endMaintenance") : t("acts.maintain")}
      </Menu.Item>
      <Menu.Divider />
      <Menu.Item data-danger disabled={block !== undefined} onClick={() => acts.remove(node)}>
        {t("acts.delete")}
      </Menu.Item>
    </>
  );
}
