import { useTranslation } from "react-i18next";
import { Card } from "@/components/layout/card";
import { Glyph } from "@/components/status/glyph";
import { Status } from "@/components/status/status";
import { useNow } from "@/components/text/use-now";
import { formatCountdown } from "@/text/format";
import type { Apply, Canary } from "../shared/api";
import { NodeLink } from "../shared/node-link";
import { useSaid } from "../shared/said";
import { isWatched } from "./canary-acts";
import classes from "./canary.module.css";

/** The nodes that go first: how long they are watched yet, and what probes say. */
export function CanaryCard({ apply, canary }: { apply: Apply; canary: Canary }) {
  const { t } = useTranslation("flows");
  const said = useSaid();
  const now = useNow();
  const left = canary.until ? (Date.parse(canary.until) - now) / 1000 : 0;
  return (
    <Card
      title={t("canary.title")}
      right={
        isWatched(apply) && left > 0 && <span className="num">{t("canary.left", { time: formatCountdown(left) })}</span>
      }
    >
      <p className={classes.state}>{t(`canary.state.${canary.state}`)}</p>
      {canary.held && (
        <p className={classes.held}>
          <Glyph kind="degraded" /> {said(canary.held)}.
        </p>
      )}
      {canary.unwell.map((against) => (
        <p key={against.source + against.node_id + against.text.code} className={classes.held}>
          <Glyph kind="down" />
          <span>
            {against.node_id && (
              <>
                <NodeLink id={against.node_id}>{nameOf(canary, against.node_id)}</NodeLink>:{" "}
              </>
            )}
            {said(against.text)}.
          </span>
        </p>
      ))}
      <ul className={classes.looks}>
        {canary.looks.map((look) => (
          <li key={look.node_id + look.block}>
            <NodeLink id={look.node_id}>{look.node_name}</NodeLink>
            <Look look={look} />
            {look.seen_at !== null && !look.ok && <span className="dim">{said(look.finding)}</span>}
          </li>
        ))}
      </ul>
    </Card>
  );
}

const nameOf = ({ nodes }: Canary, id: string) => nodes.find((node) => node.node_id === id)?.node_name ?? id;

function Look({ look }: { look: Canary["looks"][0] }) {
  const { t } = useTranslation("flows");
  if (look.seen_at === null) return <Status kind="no-data">{t("canary.unseen")}</Status>;
  const words =
    look.bad === 0 ? t("canary.good", { count: look.good }) : t("canary.probes", { good: look.good, bad: look.bad });
  return <Status kind={look.ok ? "healthy" : "down"}>{words}</Status>;
}
