import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { RelativeTime } from "@/components/text/relative-time";
import { Status } from "@/components/status/status";
import { NameCell } from "@/components/table/name-cell";
import { useFormat } from "@/text/use-format";
import { configOf, healthOf } from "../shared/node-status";
import { useReading } from "../shared/reading";
import type { Node } from "../shared/types";
import classes from "./nodes.module.css";

/** A node in two lines. */
export function PhoneNode({ node }: { node: Node }) {
  const { t } = useTranslation("nodes");
  const [config, health] = [configOf(node), healthOf(node)];
  return (
    <>
      <div className={classes.phoneLine}>
        <NameCell place={node.city || undefined} title={node.name}>
          <Link to="/nodes/$id" params={{ id: node.id }} className={classes.phoneName}>
            {node.name}
          </Link>
        </NameCell>
        <Status kind={health.glyph}>{t(health.word)}</Status>
      </div>
      <div className={classes.phoneLine}>
        <Status kind={config.glyph}>{t(config.word)}</Status>
        <Figures node={node} />
      </div>
    </>
  );
}

function Figures({ node }: { node: Node }) {
  const { t } = useTranslation("nodes");
  const format = useFormat();
  const reading = useReading(node);
  if (!reading) {
    if (!node.agent.last_seen_at) return <span className="dim">{t("neverSeen")}</span>;
    return (
      <span className="dim">
        {t("lastSeen")} <RelativeTime at={node.agent.last_seen_at} />
      </span>
    );
  }
  return (
    <span className={`dim num ${reading.stale ? classes.stale : ""}`}>
      CPU <span className="soft">{format.percent(Math.round(reading.cpu))}</span>
      {reading.sessions !== null && (
        <> · {t("sessionsShort", { count: reading.sessions, shown: format.number(reading.sessions) })}</>
      )}
    </span>
  );
}
