import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { serverNow } from "@/api/server-clock";
import { Card } from "@/components/layout/card";
import { ProblemNote } from "@/components/state/problem-view";
import { useRange, ranges } from "@/components/screen/use-range";
import { Glyph } from "@/components/status/glyph";
import { RelativeTime } from "@/components/text/relative-time";
import { healths } from "../shared/node-status";
import { stateChangesQuery, type StateChange } from "../shared/state-changes";
import type { NodeState } from "../shared/types";
import classes from "./regions.module.css";

const shown = 8;
const grid = 60;

/** The last changes of state in the fleet; more of them are counted. */
export function StateChanges() {
  const { t } = useTranslation("nodes");
  const [range] = useRange("24h");
  const end = Math.ceil(serverNow() / 1000 / grid) * grid;
  const [from, to] = [end - ranges[range], end].map((seconds) => new Date(seconds * 1000).toISOString()) as [
    string,
    string,
  ];
  const { data, error } = useQuery(stateChangesQuery({ from, to }));
  if (!data && !error) return null;
  const changes = data?.items.slice(0, shown) ?? [];
  const more = (data?.total ?? 0) - changes.length;
  return (
    <Card title={t("changes.title")} aside={data && data.total > 0 && data.total} flush>
      {error ? (
        <ProblemNote error={error} />
      ) : changes.length === 0 ? (
        <p className={classes.quiet}>{t("changes.none")}</p>
      ) : (
        <ul>
          {changes.map((change) => (
            <Change key={`${change.node_id} ${change.at}`} change={change} />
          ))}
          {more > 0 && <li className={classes.quiet}>{t("changes.more", { count: more })}</li>}
        </ul>
      )}
    </Card>
  );
}

function Change({ change }: { change: StateChange }) {
  const { t } = useTranslation("nodes");
  return (
    <li className={classes.change}>
      <Glyph kind={healths[change.state as NodeState]?.glyph ?? "no-data"} />
      <span className={classes.what}>
        <Link to="/nodes/$id" params={{ id: change.node_id }} className="strong">
          {change.name}
        </Link>{" "}
        <span className="soft">{t(`changes.${change.state}`)}</span>
      </span>
      <span className={classes.when}>
        <RelativeTime at={change.at} bare />
      </span>
    </li>
  );
}
