import { IconPlayerStop, IconPlayerTrackNext } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useWriteBlock } from "@/api/access";
import { Action } from "@/components/action/action";
import { ActDialog, type ActEffect } from "@/components/dialog/act-dialog";
import { Card } from "@/components/layout/card";
import { Status } from "@/components/status/status";
import { useNow } from "@/components/text/use-now";
import { formatCountdown } from "@/text/format";
import { useCanaryAct, type Apply, type Canary } from "../shared/api";
import { NodeLink } from "../shared/node-link";
import { useSaid } from "../shared/said";
import classes from "./canary.module.css";

/** The nodes that go first: how long they are watched yet, what probes say, and what a person may decide. */
export function CanaryCard({ apply, canary }: { apply: Apply; canary: Canary }) {
  const { t } = useTranslation("flows");
  const said = useSaid();
  const now = useNow();
  const watching = apply.phase === "canary" && canary.state === "watching";
  const left = canary.until ? (Date.parse(canary.until) - now) / 1000 : 0;
  return (
    <Card
      title={t("canary.title")}
      right={watching && <span className="num">{t("canary.left", { time: formatCountdown(left) })}</span>}
    >
      <p className={classes.state}>{t(`canary.state.${canary.state}`)}</p>
      {canary.held && <p className={classes.state}>{said(canary.held)}</p>}
      <ul className={classes.looks}>
        {canary.looks.map((look) => (
          <li key={look.node_id + look.block}>
            <NodeLink id={look.node_id}>{look.node_name}</NodeLink>
            <Status kind={look.seen_at === null ? "no-data" : look.ok ? "in-sync" : "down"}>
              {look.seen_at === null ? t("canary.unseen") : t("canary.probes", { good: look.good, bad: look.bad })}
            </Status>
            {look.seen_at !== null && !look.ok && <span className="dim">{said(look.finding)}</span>}
          </li>
        ))}
      </ul>
      {watching && <Decisions apply={apply} canary={canary} />}
    </Card>
  );
}

function Decisions({ apply, canary }: { apply: Apply; canary: Canary }) {
  const { t } = useTranslation("flows");
  const install = useWriteBlock({ needs: "connection_units.apply", feature: "flows" });
  const [asking, setAsking] = useState<"promote" | "abort">();
  const decided = apply.stopped_by || apply.promoted_by ? t("canary.decided") : undefined;
  return (
    <div className={classes.acts}>
      <Action kind="danger" icon={IconPlayerStop} reason={install ?? decided} onClick={() => setAsking("abort")}>
        {t("canary.abort.act")}
      </Action>
      <Action icon={IconPlayerTrackNext} reason={install ?? decided} onClick={() => setAsking("promote")}>
        {t("canary.promote.act")}
      </Action>
      {asking && <Decide apply={apply} canary={canary} act={asking} onClose={() => setAsking(undefined)} />}
    </div>
  );
}

interface DecideProps {
  apply: Apply;
  canary: Canary;
  act: "promote" | "abort";
  onClose: () => void;
}

/** Before a canary is decided by hand: what becomes of each node. */
function Decide({ apply, canary, act, onClose }: DecideProps) {
  const { t } = useTranslation("flows");
  const decide = useCanaryAct(apply.flow_id, apply.apply_id, act);
  const hit = apply.steps.filter((step) => step.canary === (act === "abort"));
  const effects: ActEffect[] = hit.map((step) => ({
    key: step.node_id,
    glyph: "degraded",
    name: step.node_name,
    path: `/nodes/${step.node_id}`,
    text: t(`canary.${act}.effect`),
  }));
  return (
    <ActDialog
      onClose={onClose}
      title={t(`canary.${act}.title`)}
      verb={t(`canary.${act}.act`)}
      effects={effects}
      undo={t(`canary.${act}.undo`)}
      danger={act === "abort"}
      run={() =>
        decide.mutateAsync().then(() => {
          onClose();
          return [];
        })
      }
    >
      {t(`canary.${act}.what`, { count: canary.rest })}
    </ActDialog>
  );
}
