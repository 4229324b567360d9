import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ChartCard } from "@/components/chart/chart";
import { Segmented } from "@/components/form/segmented";
import { Card, Figure, Figures, Row, Rows } from "@/components/layout/card";
import { Columns } from "@/components/layout/columns";
import { ProblemView } from "@/components/state/problem-view";
import { Skeleton, viewState } from "@/components/state/states";
import { Status } from "@/components/status/status";
import { RelativeTime } from "@/components/text/relative-time";
import { useFormat } from "@/text/use-format";
import classes from "../abuse.module.css";
import { AbuseHeader } from "../header";
import { NodeName } from "../shared/node-name";
import { frequentKinds, lineColors, overviewQuery, type Overview } from "./api";

/** How abuse protection stands: what waits, what agents see, and where they see or can do less. */
export default function OverviewPage() {
  const { t } = useTranslation("abuse");
  const state = viewState(useQuery(overviewQuery));
  return (
    <>
      <AbuseHeader current="overview" readOnly />
      {state.kind === "loading" && <Skeleton rows={6} />}
      {state.kind === "error" && (
        <ProblemView error={state.error} onRetry={state.retry} tried={t("overview.loadFailed")} />
      )}
      {state.kind === "ready" && (
        <div className={classes.sheet}>
          <CaseFigures overview={state.data} />
          <Columns width="narrow" side={<Gaps overview={state.data} />}>
            <SignalsChart overview={state.data} />
          </Columns>
        </div>
      )}
    </>
  );
}

/** Cases by their state, each as the way to them. */
function CaseFigures({ overview: { cases, hours } }: { overview: Overview }) {
  const { t } = useTranslation("abuse");
  const format = useFormat();
  const signals = hours.reduce((sum, { total }) => sum + total, 0);
  const way = (state: "open" | "actioned" | "dismissed") => (
    <Link to="/abuse" search={state === "open" ? {} : { state }}>
      {t("overview.show")}
    </Link>
  );
  return (
    <Card flush label={t("overview.cases")}>
      <Figures>
        <Figure name={t("case.state.open")} value={format.number(cases.open)} note={way("open")} />
        <Figure name={t("case.state.actioned")} value={format.number(cases.actioned)} note={way("actioned")} />
        <Figure name={t("case.state.dismissed")} value={format.number(cases.dismissed)} note={way("dismissed")} />
        <Figure
          name={t("overview.signals")}
          value={format.number(signals)}
          note={<Link to="/abuse/signals">{t("overview.show")}</Link>}
        />
      </Figures>
    </Card>
  );
}

/** How many signals there were of all kinds, and of the most frequent ones. */
function SignalsChart({ overview: { hours, days, counted_at: counted } }: { overview: Overview }) {
  const { t } = useTranslation("abuse");
  const format = useFormat();
  const [span, setSpan] = useState<"day" | "week">("day");
  const bars = span === "day" ? hours : days;
  const write = (value: number) => format.number(value);
  const lines = [
    { name: t("overview.all"), values: bars.map(({ total }) => total) },
    ...frequentKinds(bars).map(({ kind, values }) => ({ name: t(`kind.${kind}`), values })),
  ];
  return (
    <div className={classes.part}>
      <div className={classes.tools}>
        <Segmented
          label={t("overview.span")}
          value={span}
          onChange={setSpan}
          options={(["day", "week"] as const).map((value) => ({ value, label: t(`overview.${value}`) }))}
        />
        {counted && (
          <span className="dim">
            {t("overview.counted")} <RelativeTime at={counted} />
          </span>
        )}
      </div>
      <ChartCard
        title={t("overview.chart")}
        unit={t(span === "day" ? "overview.perHour" : "overview.perDay")}
        times={bars.map(({ at }) => Date.parse(at) / 1000)}
        series={lines.map((line, index) => ({ ...line, color: lineColors[index] ?? 1, format: write }))}
        axis={write}
      />
    </div>
  );
}

/** Where agents do not see everything, and which nodes can block no address. */
function Gaps({ overview: { incomplete, unprotected, blocking } }: { overview: Overview }) {
  const { t } = useTranslation("abuse");
  const format = useFormat();
  return (
    <div className={classes.sheet}>
      <Card title={t("overview.incomplete")} label={t("overview.incomplete")} flush>
        {incomplete.length === 0 && <p className={`${classes.inside} soft`}>{t("overview.seesAll")}</p>}
        <Rows>
          {incomplete.map((one) => (
            <Row key={one.node_id}>
              <span className={classes.person}>
                <NodeName id={one.node_id} name={one.node} />
                <Status kind="degraded">{t("overview.unseen", { count: one.incomplete, of: one.listeners })}</Status>
              </span>
            </Row>
          ))}
        </Rows>
      </Card>
      <Card
        title={t("overview.unprotected")}
        aside={t("overview.blocking", { count: blocking, shown: format.number(blocking) })}
        label={t("overview.unprotected")}
        flush
      >
        {unprotected.length === 0 && <p className={`${classes.inside} soft`}>{t("overview.allBlock")}</p>}
        <Rows>
          {unprotected.map((one) => (
            <Row key={one.node_id}>
              <span className={classes.person}>
                <NodeName id={one.node_id} name={one.node} />
                <span className="soft">{one.why || t("overview.oldAgent")}</span>
              </span>
            </Row>
          ))}
        </Rows>
      </Card>
    </div>
  );
}
