import { useTranslation } from "react-i18next";
import { Figure } from "@/components/layout/card";
import { Glyph } from "@/components/status/glyph";
import type { AttentionItem, Start } from "@/module";
import { useFormat } from "@/text/use-format";
import { flowsQuery, type Flow } from "../shared/api";
import { usePlaces } from "../editor/editor-context";
import { configGlyph, configState, healthGlyph, needsWork, serves } from "../shared/states";
import { PastInstalled, PastTile, useKnown } from "./flows-past";
import { useAllFlows } from "./use-all-flows";

function useFlows(): { flows: Flow[]; total: number } | undefined {
  const { flows, total } = useAllFlows({});
  return flows && { flows, total };
}

const ahead = ({ queries }: Start) => queries.prefetchInfiniteQuery(flowsQuery({}));

function Tile() {
  const { t } = useTranslation("flows");
  const format = useFormat();
  const known = useFlows();
  if (!known) return <Figure name={t("tile.flows")} value="" />;
  const applied = known.flows.filter(serves).length;
  const worst = (["apply_failed", "drifted", "draft"] as const)
    .map((state) => ({ state, count: known.flows.filter((flow) => configState(flow) === state).length }))
    .find(({ count }) => count > 0);
  return (
    <Figure
      name={t("tile.flows")}
      value={format.number(applied)}
      of={t("tile.of", { total: format.number(known.total) })}
      note={
        worst ? (
          <>
            <Glyph kind={configGlyph[worst.state]} />
            {t(`tile.${worst.state}`, { count: worst.count })}
          </>
        ) : (
          t(applied === 0 ? "tile.none" : "tile.calm")
        )
      }
    />
  );
}

/** A flow that failed, drifted or does not run well; a draft alone is work, not trouble. */
function useAttention(): AttentionItem[] {
  const { t } = useTranslation("flows");
  const { servers } = usePlaces();
  const flows = useFlows()?.flows ?? [];
  return flows
    .filter((flow) => needsWork(flow, "health") || ["apply_failed", "drifted"].includes(configState(flow)))
    .map((flow): AttentionItem => {
      const config = configState(flow);
      const troubled = needsWork(flow, "health");
      const failed = ["apply_failed", "drifted"].includes(config);
      const where = flow.drift.node_ids.map((id) => servers.get(id)?.name ?? id.slice(-6)).join(", ");
      return {
        id: flow.id,
        severity: flow.health_state === "down" || config === "apply_failed" ? "crit" : "warn",
        glyph: troubled ? healthGlyph[flow.health_state] : configGlyph[config],
        name: flow.name,
        about: failed ? undefined : [flow.id],
        what: troubled ? t(`health.${flow.health_state}`) : t(`config.${config}`),
        effect:
          config === "apply_failed" && flow.installed_version_number !== null
            ? t("serves.still", { number: flow.installed_version_number })
            : where || undefined,
        act:
          config === "apply_failed" && flow.last_apply_id
            ? { label: t("attention.why"), path: `/flows/${flow.id}/applies/${flow.last_apply_id}` }
            : { label: t(config === "drifted" ? "attention.restore" : "list.open"), path: `/flows/${flow.id}` },
      };
    });
}

function useFirstStep() {
  const { t } = useTranslation("flows");
  const known = useFlows();
  if (!known) return undefined;
  return {
    order: 3,
    title: t("first.title"),
    text: t("list.emptyText"),
    act: t("list.new"),
    path: "/flows",
    done: known.flows.some((flow) => flow.installed_revision !== null),
  };
}

export default { ahead, Tile, Past: { useKnown, Tile: PastTile, Side: PastInstalled }, useAttention, useFirstStep };
