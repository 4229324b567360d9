import { useInfiniteQuery } from "@tanstack/react-query";
import { IconServerOff } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { z } from "zod";
import { useSearchState } from "@/components/screen/use-search";
import { EmptyState } from "@/components/state/states";
import type { GlyphKind } from "@/components/status/glyph";
import { Status } from "@/components/status/status";
import type { Column } from "@/components/table/data-table";
import { useTableLook } from "@/components/table/use-table-look";
import { RelativeTime } from "@/components/text/relative-time";
import { useFormat } from "@/text/use-format";
import classes from "../abuse.module.css";
import { AbuseHeader } from "../header";
import { Listing } from "../shared/lists";
import { NodeName } from "../shared/node-name";
import { agentsQuery, type Agent } from "./api";

const search = z.object({
  sort: z.enum(["told_at", "-told_at", "refused", "-refused", "dropped", "-dropped"]).optional().catch(undefined),
});

/** How well each agent sees: what it cannot see is unknown, not zero. */
export default function AgentsPage() {
  const { t } = useTranslation("abuse");
  const [place, setPlace] = useSearchState(search);
  const sort = place.sort ?? "-told_at";
  const list = useInfiniteQuery(agentsQuery(sort));
  return (
    <>
      <AbuseHeader current="agents" readOnly />
      <Listing
        list={list}
        label={t("agents.tab")}
        columns={useColumns()}
        rowId={({ node_id: id }) => id}
        rowName={({ node_name: name }) => name}
        look={useTableLook("abuse-agents")}
        sorting={{ value: sort, onChange: (value) => setPlace({ sort: value as typeof sort }) }}
        file={{ name: "abuse-agents", fields }}
        phone={(agent) => (
          <>
            <NodeName id={agent.node_id} name={agent.node_name} />
            <span className={classes.phone}>
              <Sight agent={agent} />
              <Told agent={agent} />
            </span>
          </>
        )}
        empty={
          <EmptyState icon={IconServerOff} title={t("agents.empty")}>
            {t("agents.emptyText")}
          </EmptyState>
        }
      />
    </>
  );
}

/** How much of what it serves an agent sees. */
export function sightOf({ listeners, incomplete, diversity_at: at }: Agent): "whole" | "part" | "none" {
  if (at === null || listeners === 0) return "none";
  return incomplete > 0 ? "part" : "whole";
}

const glyphs: Record<ReturnType<typeof sightOf>, GlyphKind> = { whole: "healthy", part: "degraded", none: "no-data" };

function Sight({ agent, inTable }: { agent: Agent; inTable?: boolean }) {
  const { t } = useTranslation("abuse");
  const format = useFormat();
  const sight = sightOf(agent);
  const seen = format.number(agent.listeners - agent.incomplete);
  return (
    <Status kind={glyphs[sight]} inTable={inTable}>
      {t(`agents.sight.${sight}`, { seen, count: agent.listeners, all: format.number(agent.listeners) })}
    </Status>
  );
}

function Told({ agent }: { agent: Agent }) {
  const { t } = useTranslation("abuse");
  const last = [agent.signals_at, agent.diversity_at]
    .filter((at) => at !== null)
    .sort()
    .at(-1);
  return last ? <RelativeTime at={last} /> : <span className="dim">{t("never")}</span>;
}

/** What an agent told and the panel did not take. */
function Refused({ agent }: { agent: Agent }) {
  const { t } = useTranslation("abuse");
  const format = useFormat();
  if (agent.refused === 0) return <span className="dim num">0</span>;
  return (
    <span className={classes.two}>
      <span className="num">{format.number(agent.refused)}</span>
      {agent.refused_why && <span className={classes.second}>{t(`agents.why.${agent.refused_why}`)}</span>}
    </span>
  );
}

function useColumns(): Column<Agent>[] {
  const { t } = useTranslation("abuse");
  const format = useFormat();
  const when = (at: string | null) => (at ? <RelativeTime at={at} /> : <span className="dim">{t("never")}</span>);
  return [
    { key: "node", head: t("node"), cell: (agent) => <NodeName id={agent.node_id} name={agent.node_name} /> },
    { key: "sight", head: t("agents.sees"), width: 220, cell: (agent) => <Sight agent={agent} inTable /> },
    { key: "diversity", head: t("agents.diversity"), width: 140, drop: 2, cell: (agent) => when(agent.diversity_at) },
    { key: "signals", head: t("agents.signals"), sort: "told_at", width: 140, cell: (agent) => when(agent.signals_at) },
    {
      key: "dropped",
      head: t("agents.dropped"),
      sort: "dropped",
      width: 120,
      align: "right",
      drop: 1,
      cell: ({ dropped }) => <span className={dropped === 0 ? "dim num" : "num"}>{format.number(dropped)}</span>,
    },
    {
      key: "refused",
      head: t("agents.refused"),
      sort: "refused",
      width: 190,
      drop: 3,
      cell: (agent) => <Refused agent={agent} />,
    },
  ];
}

const fields: [string, (agent: Agent) => string | number][] = [
  ["node", ({ node_name: name }) => name],
  ["listeners", ({ listeners }) => listeners],
  ["incomplete", ({ incomplete }) => incomplete],
  ["signals_at", ({ signals_at: at }) => at ?? ""],
  ["diversity_at", ({ diversity_at: at }) => at ?? ""],
  ["dropped", ({ dropped }) => dropped],
  ["refused", ({ refused }) => refused],
];
