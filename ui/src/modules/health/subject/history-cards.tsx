import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { serverNow } from "@/api/server-clock";
import { ChartCard } from "@/components/chart/chart";
import { Segmented } from "@/components/form/segmented";
import { Card } from "@/components/layout/card";
import { ranges, useRange, type Range } from "@/components/screen/use-range";
import { ProblemView } from "@/components/state/problem-view";
import { Skeleton, viewState } from "@/components/state/states";
import { Glyph } from "@/components/status/glyph";
import { useFormat } from "@/text/use-format";
import { historyQuery, type Change, type Kind } from "../shared/api";
import { stateGlyph } from "../shared/states";
import { hintText, reasonText } from "../shared/verdict";
import { chartOf } from "./chart-of";
import classes from "./subject.module.css";

/** The window moves on by steps, so that it is asked for once in each. */
const grid = 60;

/** How long answers took over a period, and when the verdict changed. */
export function HistoryCards({ kind, id }: { kind: Kind; id: string }) {
  const { t } = useTranslation("health");
  const format = useFormat();
  const [range, setRange] = useRange("24h");
  const end = Math.ceil(serverNow() / 1000 / grid) * grid;
  const [from, to] = [iso(end - ranges[range]), iso(end)];
  const state = viewState(useQuery(historyQuery(kind, id, from, to)));
  const history = state.kind === "ready" ? state.data : undefined;
  const chart = useMemo(() => history && chartOf(history), [history]);
  return (
    <>
      <div className={classes.range}>
        <Segmented<Range>
          label={t("range")}
          value={range}
          onChange={setRange}
          options={(Object.keys(ranges) as Range[]).map((value) => ({ value, label: t(`ranges.${value}`) }))}
        />
      </div>
      {state.kind === "loading" && <Skeleton height={230} />}
      {state.kind === "error" && <ProblemView error={state.error} onRetry={state.retry} tried={t("loadFailed")} />}
      {history && chart && (
        <>
          <ChartCard
            title={t("latency")}
            unit={t("msUnit")}
            times={chart.times}
            axis={(value) => format.number(value)}
            marks={history.changes
              .filter((change) => change.state === "down" || change.was === "down")
              .map((change) => ({
                at: Date.parse(change.at) / 1000,
                text: t(`state.${change.state}`),
                failure: change.state === "down",
              }))}
            series={chart.lines.map(({ check, values }, at) => ({
              name: t(`check.${check}`),
              color: ((at % 8) + 1) as 1,
              values,
              format: (value) => format.number(value, value < 10 ? 1 : 0),
            }))}
          />
          <ChangesCard changes={history.changes} />
        </>
      )}
    </>
  );
}

const iso = (seconds: number) => new Date(seconds * 1000).toISOString();

function ChangesCard({ changes }: { changes: readonly Change[] }) {
  const { t } = useTranslation("health");
  const format = useFormat();
  return (
    <Card title={t("changes.title")} aside={<span className="num">{changes.length || ""}</span>} flush>
      {changes.length === 0 ? (
        <p className={classes.quiet}>{t("changes.none")}</p>
      ) : (
        <ul aria-label={t("changes.title")}>
          {changes.toReversed().map((change) => (
            <li key={`${change.at} ${change.state}`} className={classes.change}>
              <Glyph kind={stateGlyph[change.state]} />
              <span>
                <span className="strong">{t(`state.${change.state}`)}</span>{" "}
                <span className="soft">{[reasonText(t, change), hintText(t, change)].filter(Boolean).join("; ")}</span>
              </span>
              <time className="dim num" dateTime={change.at}>
                {format.moment(change.at)}
              </time>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
