import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Card } from "@/components/layout/card";
import { compareDrawings, type ObjectChange } from "../drawing/compare";
import { emptyDrawing, type Block, type Drawing, type Edge } from "../drawing/drawing";
import { DrawingMap, type Mark } from "../drawing/drawing-map";
import { PlacesProvider } from "../editor/editor-context";
import { useSentences } from "../versions/sentences";
import classes from "./plan.module.css";

interface PlanGraphProps {
  /** The drawing that the plan was compiled from. */
  after: Drawing;
  /** What is installed, if anything is. */
  before: Drawing | undefined;
}

/** Both drawings in one picture: what comes, what becomes another, what goes. */
export function PlanGraph({ after, before = emptyDrawing }: PlanGraphProps) {
  const ids = [...before.nodes, ...after.nodes].flatMap((block) => block.node_id || []);
  return (
    <PlacesProvider ids={ids}>
      <Picture before={before} after={after} />
    </PlacesProvider>
  );
}

const ops = ["added", "changed", "removed"] as const;

function Picture({ before, after }: Record<"before" | "after", Drawing>) {
  const { t } = useTranslation("flows");
  const { both, changes } = useMemo(
    () => ({ both: joined(before, after), changes: compareDrawings(before, after) }),
    [before, after],
  );
  const { sentences } = useSentences(before, after);
  const markOf = (block: Block): Mark | undefined => {
    const own = changes.filter((change) => change.block?.key === block.key);
    if (own.length === 0) return undefined;
    const op = own.find((change) => change.op !== "changed")?.op ?? "changed";
    const said = op === "changed" ? own.flatMap(sentences) : [];
    return { look: op, word: said.join("; ") || t(`compare.${op}`) };
  };
  const lookOf = (edge: Edge) => changes.find((change: ObjectChange) => change.edge === edge)?.op;
  return (
    <Card
      flush
      title={t("plan.graph")}
      right={
        <span className={classes.legend}>
          {ops.map((op) => (
            <span key={op}>
              <i data-op={op} aria-hidden /> {t(`plan.legend.${op}`)}
            </span>
          ))}
        </span>
      }
    >
      <DrawingMap drawing={both} label={t("plan.graph")} markOf={markOf} lookOf={lookOf} />
    </Card>
  );
}

/** The new drawing with what it has no more: the very objects, so that changes find them. */
export function joined(before: Drawing, after: Drawing): Drawing {
  const gone = compareDrawings(before, after).filter(({ op }) => op === "removed");
  return {
    nodes: [...after.nodes, ...gone.flatMap(({ block }) => block ?? [])],
    edges: [...after.edges, ...gone.flatMap(({ edge }) => edge ?? [])],
  };
}
