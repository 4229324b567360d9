import { IconRefresh } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { Card, Row, Rows } from "@/components/layout/card";
import { CodeBlock } from "@/components/text/code-block";
import { Glyph, type GlyphKind } from "@/components/status/glyph";
import { ProblemNote } from "@/components/state/problem-view";
import { Status } from "@/components/status/status";
import { useNow } from "@/components/text/use-now";
import { useFormat } from "@/text/use-format";
import type { Rollout, RolloutNode } from "./api";
import { rolloutGlyphs, type AgentAct } from "./rollout";
import classes from "./updates.module.css";

const nodeGlyphs: Record<RolloutNode["state"], GlyphKind> = {
  waiting: "waiting",
  updating: "applying",
  done: "healthy",
  failed: "down",
  skipped: "skipped",
};
const parts = ["done", "updating", "failed", "skipped", "waiting"] as const;

/** One rollout: its rings as they fill, and its nodes with what went wrong. */
export function RolloutCard({
  rollout,
  block,
  retry,
}: {
  rollout: Rollout;
  block: string | undefined;
  retry: AgentAct;
}) {
  const { t } = useTranslation("updates");
  return (
    <Card
      title={t(`rollout.${rollout.kind}`, { version: rollout.version })}
      aside={t("rollout.by", { name: rollout.started_by })}
      right={<Status kind={rolloutGlyphs[rollout.state]}>{t(`rollout.state.${rollout.state}`)}</Status>}
      flush
    >
      <div className={classes.rolloutHead} aria-live="polite">
        <Why rollout={rollout} />
        <Rest rollout={rollout} />
        {rollout.kind === "rings" &&
          rollout.rings.map((ring) => (
            <div key={ring.ring} className={classes.ringBar}>
              <span className={classes.ringName}>{t("agents.ring", { ring: ring.ring })}</span>
              <span className={classes.bar} aria-hidden>
                {parts.map((part) =>
                  ring.counts[part] ? (
                    <span key={part} data-part={part} style={{ flexGrow: ring.counts[part] }} />
                  ) : null,
                )}
              </span>
              <span className="dim num">
                {t("rollout.ofTotal", { done: ring.counts["done"] ?? 0, total: ring.total })}
              </span>
            </div>
          ))}
        {retry.error !== null && <ProblemNote error={retry.error} />}
      </div>
      <Rows label={t("rollout.nodes")}>
        {(rollout.nodes ?? []).map((node) => (
          <Row key={node.node_id} className={classes.node}>
            <NodeLine node={node} version={rollout.version} />
            {node.state === "failed" && rollout.state !== "running" && (
              <Action
                size="bar"
                icon={IconRefresh}
                onClick={() => retry.run(node.node_id)}
                busy={retry.busy}
                reason={block}
              >
                {t("rollout.retry")}
              </Action>
            )}
            {node.error !== "" && (
              <div className={classes.why}>
                <p className="soft">
                  {node.state === "skipped" ? (
                    t(`left.${node.stage}`, { defaultValue: node.error })
                  ) : (
                    <>
                      {node.stage !== "" && (
                        <span className="strong">{t(`stage.${node.stage}`, { defaultValue: node.stage })}: </span>
                      )}
                      {node.error}
                    </>
                  )}
                </p>
                {node.tail !== "" && <CodeBlock what={t("rollout.tail")} value={node.tail} />}
              </div>
            )}
          </Row>
        ))}
      </Rows>
    </Card>
  );
}

function NodeLine({ node, version }: { node: RolloutNode; version: string }) {
  const { t } = useTranslation("updates");
  return (
    <>
      <Glyph kind={nodeGlyphs[node.state]} label={t(`node.${node.state}`)} />
      <Link to="/nodes/$id" params={{ id: node.node_id }}>
        {node.name}
      </Link>
      <span className={`${classes.fromTo} dim mono`}>
        {node.state === "done" || node.state === "updating" ? `${node.from} → ${version}` : node.from}
      </span>
      <span className={classes.nodeState}>{t(`node.${node.state}`)}</span>
    </>
  );
}

/** Why it ended before its time, in the language of the page where the panel's words are known. */
function Why({ rollout }: { rollout: Rollout }) {
  const { t } = useTranslation("updates");
  if (rollout.state === "done" || (rollout.detail === "" && !rollout.stopping)) return null;
  if (rollout.counts["failed"]) return <p className="soft">{t("rollout.whyFailed")}</p>;
  if (rollout.stopped_by !== "") return <p className="soft">{t("rollout.whyStopped", { name: rollout.stopped_by })}</p>;
  return <p className="soft">{rollout.detail}</p>;
}

function Rest({ rollout }: { rollout: Rollout }) {
  const { t } = useTranslation("updates");
  const format = useFormat();
  const now = useNow();
  if (!rollout.rest_until || rollout.state !== "running") return null;
  const seconds = Math.max(0, Math.round((Date.parse(rollout.rest_until) - now) / 1000));
  return <p className="soft">{t("rollout.rest", { ring: rollout.ring, span: format.span(seconds) })}</p>;
}
