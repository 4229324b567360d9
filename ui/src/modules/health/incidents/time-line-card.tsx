import { useTranslation } from "react-i18next";
import { Card } from "@/components/layout/card";
import { Glyph, type GlyphKind } from "@/components/status/glyph";
import { useFormat } from "@/text/use-format";
import { reasonText } from "../shared/verdict";
import { stateGlyph } from "../shared/states";
import type { IncidentDetail, IncidentEntry } from "./api";
import classes from "./incidents.module.css";

const quiet = new Set<IncidentEntry["what"]>(["left", "mitigated", "resolved"]);

/** The shape of what happened: how the subject did then, or that it was over. */
function glyphOf({ what, state }: IncidentEntry): GlyphKind {
  if (quiet.has(what)) return "healthy";
  if (what === "rests") return "maintenance";
  return state ? stateGlyph[state as "up"] : "no-data";
}

/** What happened in an incident, the newest first. */
export function TimeLineCard({ incident }: { incident: IncidentDetail }) {
  const { t } = useTranslation("health");
  return (
    <Card title={t("incident.timeLine")} label={t("incident.timeLine")} flush>
      <ul>
        {incident.entries.toReversed().map((entry, at) => (
          <EntryRow key={`${entry.at} ${at}`} entry={entry} />
        ))}
      </ul>
    </Card>
  );
}

function EntryRow({ entry }: { entry: IncidentEntry }) {
  const { t } = useTranslation("health");
  const format = useFormat();
  const said = t(`incident.said.${entry.what}`, { name: entry.name, who: entry.actor || t("incident.thePanel") });
  const why = entry.what === "left" ? "" : reasonText(t, entry);
  return (
    <li className={classes.entry}>
      <Glyph kind={glyphOf(entry)} />
      <span className={classes.said}>
        <span className="strong">{said}</span> {why && <span className="soft">{why}</span>}
        {entry.note && <span className={classes.note}>{entry.note}</span>}
      </span>
      <time className="dim num" dateTime={entry.at}>
        {format.moment(entry.at)}
      </time>
    </li>
  );
}
