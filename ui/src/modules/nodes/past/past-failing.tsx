import { IconCircleCheck } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { Card } from "@/components/layout/card";
import { ProblemView } from "@/components/state/problem-view";
import { Skeleton } from "@/components/state/states";
import { Glyph } from "@/components/status/glyph";
import type { PastProps } from "@/module";
import { useFormat } from "@/text/use-format";
import { useState } from "react";
import { healths } from "../shared/node-status";
import { momentQuery, type FleetMoment } from "./moment";
import classes from "./past.module.css";

const shownFirst = 8;

/** Which nodes did not do well at a moment, since when and for how long. */
export function PastFailing({ at }: PastProps) {
  const { t } = useTranslation("nodes");
  const format = useFormat();
  const [all, setAll] = useState(false);
  const { data: moment, error, refetch } = useQuery(momentQuery(at));
  if (error && !moment) return <ProblemView error={error} onRetry={() => void refetch()} />;
  if (!moment) return <Skeleton rows={4} />;
  const shown = all ? moment.failing : moment.failing.slice(0, shownFirst);
  const hidden = moment.failures - shown.length;
  return (
    <Card
      title={t("past.failing")}
      label={t("past.failing")}
      aside={moment.failures > 0 ? <span className="num">{format.number(moment.failures)}</span> : undefined}
      flush
    >
      {moment.failures === 0 && (
        <p className={classes.calm}>
          <IconCircleCheck size={18} stroke={1.6} aria-hidden />
          {t("past.noneFailing")}
        </p>
      )}
      <ul>
        {shown.map((node) => (
          <FailedRow key={node.id} node={node} at={at} />
        ))}
      </ul>
      {hidden > 0 && (
        <div className={classes.more}>
          {all ? (
            t("past.notListed", { count: hidden })
          ) : (
            <Action kind="link" onClick={() => setAll(true)}>
              {t("past.showRest", { count: hidden })}
            </Action>
          )}
        </div>
      )}
    </Card>
  );
}

function FailedRow({ node, at }: { node: FleetMoment["failing"][number]; at: string }) {
  const { t } = useTranslation("nodes");
  const format = useFormat();
  const { glyph, word } = healths[node.state];
  const span = (from: string, to: string) => format.span((Date.parse(to) - Date.parse(from)) / 1000);
  return (
    <li className={classes.row}>
      <Glyph kind={glyph} />
      <span className={classes.name}>
        <Link to="/nodes/$id" params={{ id: node.id }} className="strong">
          {node.name}
        </Link>{" "}
        <span className="soft">{t(word)}</span>
      </span>
      <span className={`${classes.when} num`}>
        {node.since ? t("past.since", { moment: format.moment(node.since), span: span(node.since, at) }) : "—"}
      </span>
      <span className={`${classes.when} num`}>
        {node.until ? t("past.until", { span: span(at, node.until) }) : t("past.stillSo")}
      </span>
    </li>
  );
}
