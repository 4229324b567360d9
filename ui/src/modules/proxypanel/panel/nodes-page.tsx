import { Menu } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { IconServerOff } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { RowMenu } from "@/components/action/row-menu";
import { EmptyState, Skeleton, viewState } from "@/components/state/states";
import { ProblemView } from "@/components/state/problem-view";
import type { GlyphKind } from "@/components/status/glyph";
import { Status } from "@/components/status/status";
import { DataTable, type Column } from "@/components/table/data-table";
import { useTableLook } from "@/components/table/use-table-look";
import classes from "../proxypanel.module.css";
import { AdoptDialog, ReleaseDialog } from "./adopt-dialog";
import { mappingQuery, type MappedNode } from "./api";
import { PanelPage, useBlock, useConnectionId } from "./panel-page";

/** The nodes of a proxy panel, which of ours each is, and which flows it serves. */
export default function NodesPage() {
  const { t } = useTranslation("proxypanel");
  const id = useConnectionId();
  const block = useBlock();
  const state = viewState(useQuery(mappingQuery(id)));
  const look = useTableLook("proxypanel-nodes");
  const [adoptingId, setAdopting] = useState<string>();
  const [releasing, setReleasing] = useState<MappedNode>();
  const adopt = (node: MappedNode) => setAdopting(node.panel_node_id);
  const columns = useColumns(block, adopt);
  // As the list has it now: what the node runs may become known while the dialog is open.
  const adopting = state.kind === "ready" && state.data.find((node) => node.panel_node_id === adoptingId);
  return (
    <PanelPage current="nodes">
      {() => (
        <>
          <p className={`${classes.lead} soft`}>{t("node.lead")}</p>
          {state.kind === "loading" && <Skeleton rows={6} />}
          {state.kind === "error" && (
            <ProblemView error={state.error} onRetry={state.retry} tried={t("panel.loadFailed")} />
          )}
          {state.kind === "ready" && (
            <DataTable
              label={t("tab.nodes")}
              rows={state.data}
              total={state.data.length}
              columns={columns}
              look={look}
              rowId={(node) => node.panel_node_id}
              rowName={({ name }) => name}
              rowHeight="two"
              menu={(node) =>
                node.mapping && (
                  <RowMenu name={node.name}>
                    <Menu.Item
                      color="red"
                      disabled={block !== undefined || node.mapping.flow_ids.length > 0}
                      title={block ?? (node.mapping.flow_ids.length > 0 ? t("release.inUse") : undefined)}
                      onClick={() => setReleasing(node)}
                    >
                      {t("release.act")}
                    </Menu.Item>
                  </RowMenu>
                )
              }
              phone={(node) => (
                <>
                  <span className="strong">{node.name}</span>
                  <span className={classes.phone}>
                    <StateOf node={node} />
                    <Ours node={node} block={block} onAdopt={adopt} />
                  </span>
                </>
              )}
              empty={
                <EmptyState icon={IconServerOff} title={t("node.none")}>
                  {t("list.noneText")}
                </EmptyState>
              }
            />
          )}
          {adopting && <AdoptDialog connectionId={id} node={adopting} onClose={() => setAdopting(undefined)} />}
          {releasing && <ReleaseDialog connectionId={id} node={releasing} onClose={() => setReleasing(undefined)} />}
        </>
      )}
    </PanelPage>
  );
}

export const nodeGlyphs: Record<MappedNode["state"], GlyphKind> = {
  connected: "healthy",
  disconnected: "down",
  disabled: "skipped",
  gone: "no-data",
};

function StateOf({ node: { state }, inTable }: { node: MappedNode; inTable?: boolean }) {
  const { t } = useTranslation("proxypanel");
  return (
    <Status kind={nodeGlyphs[state]} inTable={inTable}>
      {t(`node.state.${state}`)}
    </Status>
  );
}

interface OursProps {
  node: MappedNode;
  block: string | undefined;
  onAdopt: (node: MappedNode) => void;
}

/** Which node of the fleet it is, or the way to say so. */
function Ours({ node, block, onAdopt }: OursProps) {
  const { t } = useTranslation("proxypanel");
  if (node.mapping) {
    const { node_id: nodeId, node_name: name } = node.mapping;
    return name === "" ? <span className="dim">{t("node.removed")}</span> : <Link to={`/nodes/${nodeId}`}>{name}</Link>;
  }
  if (node.state === "gone") return <span className="dim">—</span>;
  return (
    <Action size="bar" reason={block} onClick={() => onAdopt(node)}>
      {node.proposal ? t("adopt.proposed", { name: node.proposal.node_name }) : t("adopt.act")}
    </Action>
  );
}

function useColumns(block: string | undefined, onAdopt: (node: MappedNode) => void): Column<MappedNode>[] {
  const { t } = useTranslation("proxypanel");
  return [
    {
      key: "name",
      head: t("node.there"),
      cell: (node) => (
        <span className={classes.two}>
          <span className="strong">{node.name}</span>
          <span className={`${classes.second} mono`}>{node.address}</span>
        </span>
      ),
    },
    { key: "state", head: t("node.stateHead"), width: 140, cell: (node) => <StateOf node={node} inTable /> },
    {
      key: "ours",
      head: t("node.ours"),
      width: 230,
      cell: (node) => <Ours node={node} block={block} onAdopt={onAdopt} />,
    },
    {
      key: "flows",
      head: t("node.serves"),
      width: 140,
      drop: 1,
      cell: ({ mapping }) =>
        mapping ? t("node.flows", { count: mapping.flow_ids.length }) : <span className="dim">—</span>,
    },
    {
      key: "runs",
      head: t("node.runs"),
      width: 190,
      drop: 2,
      cell: ({ runs, mapping }) => (
        <span className={classes.two}>
          <span>{runs || <span className="dim">{t("node.runsNone")}</span>}</span>
          <span className={classes.second}>
            {mapping && mapping.replaces !== "" && mapping.replaces !== runs
              ? t("node.replaces", { name: mapping.replaces })
              : ""}
          </span>
        </span>
      ),
    },
    {
      key: "core",
      head: t("node.core"),
      width: 100,
      drop: 3,
      cell: ({ core_version: version }) => <span className="num">{version || "—"}</span>,
    },
  ];
}
