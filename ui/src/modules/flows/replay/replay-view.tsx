import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { ChartCard } from "@/components/chart/chart";
import type { ChartSeries } from "@/components/chart/chart-data";
import { Card } from "@/components/layout/card";
import { ProblemView } from "@/components/state/problem-view";
import { Skeleton } from "@/components/state/states";
import { useFormat } from "@/text/use-format";
import { DrawingMap } from "../drawing/drawing-map";
import { PlacesProvider } from "../editor/editor-context";
import { replayQuery, type Apply, type Replay } from "../shared/api";
import { nodeDoing } from "./apply-at";
import classes from "./replay.module.css";
import { sessionsOf, storyOf } from "./sessions";

interface ReplayViewProps {
  /** The apply as it ended. */
  apply: Apply;
  /** The apply as it was at the moment that is shown. */
  shown: Apply;
  second: number;
}

/** What an apply did to its flow and to the people on it: the drawing at a moment, and sessions around the apply. */
export function ReplayView({ apply, shown, second }: ReplayViewProps) {
  const { t } = useTranslation("flows");
  const replay = useQuery(replayQuery(apply.flow_id, apply.apply_id));
  if (!replay.data)
    return replay.error ? (
      <ProblemView error={replay.error} tried={t("replay.failedLoad")} onRetry={() => void replay.refetch()} />
    ) : (
      <Skeleton rows={4} />
    );
  return (
    <div className={classes.view}>
      {replay.data.graph.nodes.length > 0 && (
        <PlacesProvider ids={apply.steps.map((step) => step.node_id)}>
          <Card title={t("replay.map")} flush>
            <DrawingMap
              drawing={replay.data.graph}
              label={t("replay.map")}
              markOf={({ node_id }) => {
                const step = shown.steps.find((one) => one.node_id === node_id);
                const doing = step && nodeDoing(step);
                return doing && { look: doing, word: t(`replay.doing.${doing}`) };
              }}
            />
          </Card>
        </PlacesProvider>
      )}
      <SessionsCard apply={apply} replay={replay.data} second={second} />
    </div>
  );
}

function SessionsCard({ apply, replay, second }: { apply: Apply; replay: Replay; second: number }) {
  const { t } = useTranslation("flows");
  const format = useFormat();
  const { times, lines } = useMemo(() => sessionsOf(apply, replay), [apply, replay]);
  const series = useMemo(
    () =>
      lines.map(({ name, values }, index): ChartSeries => ({
        name,
        values,
        color: (index + 1) as ChartSeries["color"],
        format: (value) => format.number(value, 0),
      })),
    [lines, format],
  );
  const at = Date.parse(apply.started_at) / 1000 + second;
  const marks = useMemo(() => [{ at, text: format.clock(at * 1000, true) }], [at, format]);
  return (
    <div className={classes.sessions}>
      <ChartCard
        title={t("replay.sessions")}
        times={times}
        series={series}
        marks={marks}
        axis={(value) => format.number(value, 0)}
      />
      <p className={classes.story}>{useStory(apply, replay)}</p>
    </div>
  );
}

function useStory(apply: Apply, replay: Replay): string {
  const { t } = useTranslation("flows");
  const format = useFormat();
  const story = storyOf(apply, replay);
  if (story.kind === "unknown") return t("replay.story.unknown");
  const open = { before: format.number(story.before, 0), least: format.number(story.least, 0) };
  if (story.kind === "held") return t("replay.story.held", open);
  const fell = { ...open, at: format.clock(story.at * 1000, true) };
  if (story.kind === "fell") return t("replay.story.fell", { ...fell, to: format.clock(replay.to, true) });
  return t("replay.story.returned", {
    ...fell,
    again: format.clock(story.again * 1000, true),
    back: format.number(story.back, 0),
  });
}
