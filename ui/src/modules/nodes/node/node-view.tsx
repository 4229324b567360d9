import { Menu } from "@mantine/core";
import { IconDots, IconTool } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { CopyButton } from "@/components/action/copy-button";
import { Meta, PageHeader } from "@/components/layout/page-header";
import { RelativeTime } from "@/components/text/relative-time";
import { Segmented } from "@/components/form/segmented";
import { SlotPart, useSlot } from "@/components/slots/slots";
import { EmptyState, StaleTag } from "@/components/state/states";
import { Status } from "@/components/status/status";
import { PageTabs } from "@/components/layout/tabs";
import { countryName } from "@/text/place";
import { useFormat, useLanguage } from "@/text/use-format";
import { AgentTab } from "./agent-tab";
import { DomainsTab } from "./domains-tab";
import { OverviewTab } from "./overview-tab";
import { SettingsTab } from "./settings-tab";
import { configOf, healthOf } from "../shared/node-status";
import { useReading } from "../shared/reading";
import { ranges, type Range } from "./ranges";
import classes from "./node.module.css";
import type { NodeDetail } from "../shared/types";

type NodeTab = "overview" | "domains" | "agent" | "settings";

interface NodeViewProps {
  node: NodeDetail;
  /** A tab of its own, or one that another module adds. */
  tab: string;
  range: Range;
  onRange: (range: Range) => void;
  block: string | undefined;
  acts: { maintain: (on: boolean) => void; restart: () => void; remove: () => void };
}

/** The tabs of this module with their place among those that others add. */
const tabs: { key: NodeTab; order: number }[] = [
  { key: "overview", order: 0 },
  { key: "domains", order: 20 },
  { key: "agent", order: 30 },
  { key: "settings", order: 100 },
];

export function NodeView({ node, tab, range, onRange, block, acts }: NodeViewProps) {
  const { t } = useTranslation("nodes");
  const language = useLanguage();
  const [config, health] = [configOf(node), healthOf(node)];
  const added = useSlot("nodeTabs");
  const open = added.find((entry) => entry.key === tab);
  const all = [
    ...tabs.map(({ key, order }) => ({ key: key as string, order, label: t(`tabs.${key}`) })),
    ...added.map(({ key, order, label }) => ({ key, order, label: label[language] })),
  ].sort((a, b) => a.order - b.order);
  const missing = !all.some(({ key }) => key === tab);
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
      {node.reasons.length > 0 && (node.state !== "online" || node.reasons.includes("panel_address")) && (
        <Reasons node={node} />
      )}
      <PageTabs
        label={t("tabs.label")}
        current={tab}
        tabs={all.map(({ key, label }) => ({
          key,
          label,
          link: {
            to: "/nodes/$id",
            params: { id: node.id },
            search: (old: Record<string, unknown>) => ({ ...old, tab: key }),
          },
        }))}
      />
      <div className={classes.tab}>
        {tab === "overview" && <OverviewTab node={node} range={range} block={block} />}
        {tab === "domains" && <DomainsTab node={node} block={block} />}
        {tab === "agent" && <AgentTab node={node} block={block} />}
        {tab === "settings" && <SettingsTab node={node} block={block} onRemove={acts.remove} />}
        {open && <SlotPart key={open.key} entry={open} props={{ id: node.id }} />}
        {missing && <EmptyState title={t("tabs.missing")} />}
      </div>
    </>
  );
}

function NodeMeta({ node }: { node: NodeDetail }) {
  const { t } = useTranslation("nodes");
  const format = useFormat();
  const language = useLanguage();
  const reading = useReading(node);
  const heard = lastHeard(node, reading?.at);
  const country = node.country_code === "XX" ? "" : countryName(node.country_code, language);
  const place = [node.city, country].filter(Boolean).join(", ");
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
      {heard && (
        <Meta>
          {node.agent.connected ? (
            <span>
              {t("updated")} <RelativeTime at={heard} />
            </span>
          ) : (
            <StaleTag since={heard} />
          )}
        </Meta>
      )}
    </>
  );
}

/** The agent was heard when it reported, and when a sample of it came. */
export function lastHeard({ agent }: Pick<NodeDetail, "agent">, sampled: number | undefined): string | null {
  if (sampled === undefined || (agent.last_seen_at && Date.parse(agent.last_seen_at) >= sampled)) {
    return agent.last_seen_at;
  }
  return new Date(sampled).toISOString();
}

function NodeActions({ node, tab, range, onRange, block, acts }: Omit<NodeViewProps, "state">) {
  const { t } = useTranslation(["nodes", "app"]);
  const inMaintenance = node.state === "maintenance";
  return (
    <>
      {tab === "overview" && (
        <Segmented<Range>
          label={t("range")}
          value={range}
          onChange={onRange}
          options={(Object.keys(ranges) as Range[]).map((value) => ({ value, label: t(`ranges.${value}`) }))}
        />
      )}
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
  return (
    <p className={classes.reasons}>
      {node.reasons
        .map((reason) => t(`reason.${reason}`, { defaultValue: reason, url: node.agent.panel_url }))
        .join(". ")}
      .
    </p>
  );
}
