import { IconDots, IconServer2 } from "@tabler/icons-react";
import i18next from "i18next";
import type { PaletteHit, PaletteRun } from "@/module";
import { listNodes } from "../shared/api";
import { healthOf } from "../shared/node-status";
import type { Node } from "../shared/types";
import { whyLeft } from "./chosen";
import { openText } from "./effects";
import { NodeActDialog, type AskedAct } from "./node-act-dialog";

const shown = 5;
/** As many as one act may take at once from the palette; more are chosen in the list. */
const most = 200;
const acts: AskedAct[] = ["restart_core", "maintenance_on", "maintenance_off"];

/** The nodes whose name, address or tag fits, each with its acts; several together are one more hit. */
export async function findNodes(text: string, signal: AbortSignal): Promise<PaletteHit[]> {
  const [page] = await Promise.all([listNodes({ q: text, limit: most }, signal), i18next.loadNamespaces("nodes")]);
  const t = i18next.getFixedT(null, "nodes");
  const group = t("palette.group");
  const hits = page.items.slice(0, shown).map((node): PaletteHit => {
    const health = healthOf(node);
    return {
      id: node.id,
      group,
      name: node.name,
      detail: [node.city, node.address].filter(Boolean).join(", "),
      path: `/nodes/${node.id}`,
      icon: IconServer2,
      status: { kind: health.glyph, text: t(health.word) },
      runs: acts.map((act) => runOf(act, [node])).filter((run) => !isIdle(run, node)),
    };
  });
  if (page.total < 2) return hits;
  const all: PaletteHit = {
    id: "nodes-all",
    group,
    name: t("palette.all", { count: page.total, text }),
    detail: t("palette.list"),
    path: "/nodes",
    search: { q: text },
    icon: IconDots,
    runs: page.total <= most ? acts.map((act) => runOf(act, page.items)) : [],
  };
  return [...hits, all];

  function runOf(act: AskedAct, nodes: readonly Node[]): PaletteRun {
    const taking = nodes.filter((node) => whyLeft(act, node) === undefined);
    const only = nodes.length === 1 ? whyLeft(act, nodes[0]!) : undefined;
    return {
      act,
      detail: act === "restart_core" ? openOn(taking) : undefined,
      reason: only ? t(only) : taking.length === 0 ? t("act.nobody") : undefined,
      draw: (onClose) => <NodeActDialog act={act} nodes={nodes} onClose={onClose} />,
    };
  }

  function openOn(nodes: readonly Node[]): string | undefined {
    const measured = nodes.filter(({ metrics }) => metrics);
    return measured.length > 0 ? openText(measured, t) : undefined;
  }
}

/** Ending a maintenance that is not on is no offer but noise. */
function isIdle(run: PaletteRun, node: Node): boolean {
  return run.act === "maintenance_off" && node.state !== "maintenance";
}
