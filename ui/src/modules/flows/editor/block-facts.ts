import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { listenerLine, type Block } from "../drawing/drawing";
import { findVersion, useCustomPlans, usePlanWay, versionName, type CustomPlan } from "../shared/custom-plans";
import { usePools } from "../shared/pool-select";
import { useMayHave, usePlaces } from "./editor-context";

/** The one line of facts under a block's name. */
export function useBlockFacts(): (block: Block) => string {
  const { t } = useTranslation("flows");
  const { servers } = usePlaces();
  const pools = usePools(useMayHave("transit_pool"));
  const plans = useCustomPlans(useMayHave("custom"));
  const wayOf = usePlanWay();
  return (block) => {
    if (block.kind === "transit_pool")
      return poolFacts(
        pools.find(({ id }) => id === block.pool_id),
        t,
      );
    if (block.kind === "custom") return planFacts(plans, block.plan_version_id, wayOf) || t("block.noPlan");
    const server = block.node_id ? servers.get(block.node_id) : undefined;
    const city = server?.city || server?.country_code;
    if (block.kind === "entry") return listenerLine(block.params?.listener) || t("block.noListener");
    if (block.kind === "direct") return t("block.fromHere");
    if (block.kind === "block") return t("block.refused");
    if (!block.node_id) return t("block.noServer");
    const word = t(`kind.${block.kind}`);
    return block.title && server
      ? `${word}, ${server.name}`
      : [word, city && city !== "XX" ? city : undefined].filter(Boolean).join(", ");
  };
}

/** A pool by its name, with its members. */
function poolFacts(pool: { name: string; members: number } | undefined, t: TFunction<"flows">): string {
  return pool ? t("block.pool", { name: pool.name, count: pool.members }) : t("block.noPool");
}

/** A version of a custom plan by its name and number, with the way out that it describes. */
function planFacts(
  plans: readonly CustomPlan[] | undefined,
  id: string | undefined,
  wayOf: ReturnType<typeof usePlanWay>,
): string {
  const found = findVersion(plans, id);
  return found ? `${versionName(found)}, ${wayOf(found.version.body)}` : "";
}
