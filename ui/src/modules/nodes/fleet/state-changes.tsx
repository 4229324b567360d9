import { useQueries } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useAccess } from "@/api/access";
import { serverNow } from "@/api/server-clock";
import { Card } from "@/components/layout/card";
import { ProblemNote } from "@/components/state/problem-view";
import { useRange, ranges } from "@/components/screen/use-range";
import { Glyph, type GlyphKind } from "@/components/status/glyph";
import { RelativeTime } from "@/components/text/relative-time";
import { journalQuery } from "../node/chart-marks";
import classes from "./regions.module.css";

const glyphs: Record<string, GlyphKind> = {
  "node.offline": "down",
  "node.online": "healthy",
  "node.degraded": "degraded",
};
const shown = 8;
const grid = 300;

/** The last changes of state in the fleet, from the journal. */
export function StateChanges() {
  const { t } = useTranslation("nodes");
  const enabled = useAccess().can("audit.view");
  const [range] = useRange("24h");
  const end = Math.ceil(serverNow() / 1000 / grid) * grid;
  const [from, to] = [end - ranges[range], end].map((seconds) => new Date(seconds * 1000).toISOString()) as [
    string,
    string,
  ];
  const results = useQueries({
    queries: Object.keys(glyphs).map((action) => ({ ...journalQuery({ action, from, to }), enabled })),
  });
  if (!enabled) return null;
  const entries = results.flatMap((result) => result.data ?? []).sort((a, b) => b.at.localeCompare(a.at));
  const broken = results.find((result) => result.error)?.error;
  return (
    <Card
      title={t("changes.title")}
      aside={t("changes.lead")}
      right={
        <Link to="/audit" search={{ action: "node.*" }}>
          {t("changes.journal")}
        </Link>
      }
      flush
    >
      {broken ? (
        <ProblemNote error={broken} />
      ) : entries.length === 0 ? (
        <p className={classes.quiet}>{t("changes.none")}</p>
      ) : (
        <ul>
          {entries.slice(0, shown).map((entry) => (
            <li key={entry.id} className={classes.change}>
              <Glyph kind={glyphs[entry.action] ?? "no-data"} />
              <span className={classes.what}>
                <Link to="/nodes/$id" params={{ id: entry.object.id }} className="strong">
                  {entry.object.name}
                </Link>{" "}
                <span className="soft">{t(`changes.${entry.action.replace("node.", "")}`)}</span>
              </span>
              <span className={classes.when}>
                <RelativeTime at={entry.at} bare />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
