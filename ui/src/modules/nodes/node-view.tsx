import { Menu } from "@mantine/core";
import { IconDots, IconTool } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action";
import { CopyButton } from "@/components/copy-button";
import { Meta, PageHeader } from "@/components/page-header";
import { RelativeTime } from "@/components/relative-time";
import { Segmented } from "@/components/segmented";
import { StaleTag } from "@/components/states";
import { Status } from "@/components/status";
import { PageTabs } from "@/components/tabs";
import { useFormat } from "@/text/use-format";
import { AgentTab } from "./agent-tab";
import { DomainsTab } from "./domains-tab";
import { OverviewTab } from "./overview-tab";
import { SettingsTab } from "./settings-tab";
import { configOf, healthOf } from "./node-status";
import { ranges, type Range } from "./ranges";
import classes from "./node.module.css";
import type { NodeDetail } from "./types";

export type NodeTab = "overview" | "domains" | "agent" | "settings";

interface NodeViewProps {
  node: NodeDetail;
  tab: NodeTab;
  range: Range;
  onRange: (range: Range) => void;
  block: string | undefined;
  acts: { maintain: (on: boolean) => void; restart: () => void; remove: () => void };
}

const tabs: NodeTab[] = ["overview", "domains", "agent", "settings"];

export function NodeView({ node, tab, range, onRange, block, acts }: NodeViewProps) {
  const { t } = useTranslation("nodes");
  const [config, health] = [configOf(node), healthOf(node)];
  return (
    <>
      <PageHeader
        title={node.name}
        beside={
          <>
            <Status kind={config.glyph}>{t(config.word)}</Status>
            <Status kind={health.glyph}>{t(health.word)}</Status>
          </>
        }
        meta={<NodeMeta node={node} />}
        closed={block}
        actions={<NodeActions node={node} tab={tab} range={range} onRange={onRange} block={block} acts={acts} />}
      />
      {node.reasons.length > 0 && (node.state !== "online" || node.reasons.includes("panel_address")) && <Reasons node={node} />}
      <PageTabs
        label={t("tabs.label")}
        current={tab}
        tabs={tabs.map((key) => ({ key, label: t(`tabs.${key}`), link: { to: "/nodes/$id", params: { id: node.id }, search: (old: Record<string, unknown>) => ({ ...old, tab: key }) } }))}
      />
      <div className={classes.tab}>
        {tab === "overview" && <OverviewTab node={node} range={range} block={block} />}
        {tab === "domains" && <DomainsTab node={node} block={block} />}
        {tab === "agent" && <AgentTab node={node} block={block} />}
        {tab === "settings" && <SettingsTab node={node} block={block} onRemove={acts.remove} />}
      </div>
    </>
  );
}

function NodeMeta({ node }: { node: NodeDetail }) {
  const { t } = useTranslation("nodes");
  const format = useFormat();
  const place = [node.city, node.country_code === "XX" ? "" : node.country_code].filter(Boolean).join(", ");
  return (
    <>
      {place && <Meta>{place}</Meta>}
      {node.address && (
        <Meta>
          <span className="mono">{node.address}</span>
          <CopyButton value={node.address} what={t("address")} />
        </Meta>
      )}
      {node.metrics && node.agent.connected && <Meta>{t("up", { span: format.uptime(node.metrics.uptime_s) })}</Meta>}
      {node.agent.last_seen_at && (
        <Meta>
          {node.agent.connected ? (
            <span>
              {t("updated")} <RelativeTime at={node.agent.last_seen_at} />
            </span>
          ) : (
            <StaleTag since={node.agent.last_seen_at} />
          )}
        </Meta>
      )}
    </>
  );
}

function NodeActions({ node, tab, range, onRange, block, acts }: Omit<NodeViewProps, "state">) {
  const { t } = useTranslation(["nodes", "app"]);
  const inMaintenance = node.state === "maintenance";
  return (
    <>
      {tab === "overview" && <Segmented<Range> label={t("range")} value={range} onChange={onRange} options={(Object.keys(ranges) as Range[]).map((value) => ({ value, label: t(`ranges.${value}`) }))} />}
      <Action icon={IconTool} onClick={() => acts.maintain(!inMaintenance)} reason={block}>
        {inMaintenance ? t("acts.endMaintenance") : t("acts.maintain")}
      </Action>
      <Menu>
        <Menu.Target>
          <Action iconOnly icon={IconDots}>
            {t("app:table.actsOf", { name: node.name })}
          </Action>
        </Menu.Target>
        <Menu.Dropdown>
          {block && <Menu.Label>{block}</Menu.Label>}
          <Menu.Item disabled={block !== undefined || !node.agent.connected} onClick={acts.restart}>
            {t("acts.restart")}
          </Menu.Item>
          <Menu.Item data-danger disabled={block !== undefined} onClick={acts.remove}>
            {t("acts.delete")}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  );
}

function Reasons({ node }: { node: NodeDetail }) {
  const { t } = useTranslation("nodes");
  return <p className={classes.reasons}>{node.reasons.map((reason) => t(`reason.${reason}`, { defaultValue: reason, url: node.agent.panel_url })).join(". ")}.</p>;
}
