import { IconAdjustmentsHorizontal, IconInfoCircle, IconPlayerStop, IconRocket } from "@tabler/icons-react";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { Card, Row, Rows } from "@/components/layout/card";
import { Columns } from "@/components/layout/columns";
import { Glyph } from "@/components/status/glyph";
import { ProblemNote, ProblemView } from "@/components/state/problem-view";
import { EmptyState, Skeleton, type ViewState } from "@/components/state/states";
import { Status } from "@/components/status/status";
import { useFormat } from "@/text/use-format";
import type { Rings, Rollout } from "./api";
import { rolloutGlyphs, type AgentAct } from "./rollout";
import { RolloutCard } from "./rollout-card";
import classes from "./updates.module.css";

interface AgentsViewProps {
  state: ViewState<Rings>;
  rollouts: Rollout[];
  rollout: Rollout | undefined;
  block: string | undefined;
  onShow: (id: string) => void;
  onStart: (ring: number) => void;
  onRings: () => void;
  stop: AgentAct;
  retry: AgentAct;
}

/** Agents by version, the build that they can get, the rings it goes through, and what became of earlier rollouts. */
export function AgentsView({
  state,
  rollouts,
  rollout,
  block,
  onShow,
  onStart,
  onRings,
  stop,
  retry,
}: AgentsViewProps) {
  if (state.kind === "loading") return <Skeleton height={260} />;
  if (state.kind === "error") return <ProblemView error={state.error} onRetry={state.retry} />;
  const rings = state.data;
  return (
    <Columns
      side={
        <>
          <VersionsCard rings={rings} />
          {rollouts.length > 0 && <RolloutsCard rollouts={rollouts} shown={rollout?.id} onShow={onShow} />}
        </>
      }
    >
      <BuildCard rings={rings} block={block} onStart={onStart} onRings={onRings} stop={stop} />
      {rollout && <RolloutCard rollout={rollout} block={block} retry={retry} />}
    </Columns>
  );
}

type CardProps = Pick<AgentsViewProps, "block" | "onStart" | "onRings" | "stop"> & { rings: Rings };

function BuildCard({ rings, block, onStart, onRings, stop }: CardProps) {
  const { t } = useTranslation("updates");
  const { build, active } = rings;
  return (
    <Card title={t("agents.title")} right={<FleetState rings={rings} />}>
      {stop.error !== null && <ProblemNote error={stop.error} />}
      <div className={classes.block}>
        {build ? (
          <BuildWords build={build} />
        ) : (
          <EmptyState icon={IconInfoCircle} title={t("agents.noBuild")}>
            {rings.build_problem !== "" && t(`agents.problem.${rings.build_problem}`)}
          </EmptyState>
        )}
        <RingList rings={rings} block={block} onStart={onStart} />
        <p className={classes.hint}>
          <IconInfoCircle size={16} stroke={1.6} aria-hidden />
          <span>{t("agents.how", { seconds: rings.pause_seconds, parallel: rings.parallel })}</span>
        </p>
        <div className={classes.acts}>
          {active && (
            <Action
              icon={IconPlayerStop}
              kind="danger"
              onClick={() => stop.run(active.id)}
              busy={stop.busy}
              reason={block ?? (active.stopping ? t("agents.stopping") : undefined)}
            >
              {t("agents.stop")}
            </Action>
          )}
          <Action icon={IconAdjustmentsHorizontal} onClick={onRings} reason={block}>
            {t("rings.change")}
          </Action>
        </div>
      </div>
    </Card>
  );
}

function RingList({ rings, block, onStart }: Pick<CardProps, "rings" | "block" | "onStart">) {
  const { t } = useTranslation("updates");
  const last = rings.rings.length;
  return (
    <ol className={classes.rings} aria-label={t("agents.rings")}>
      {rings.rings.map((ring) => (
        <li key={ring.ring}>
          <span className={classes.ringName}>{t("agents.ring", { ring: ring.ring })}</span>
          <div className={classes.ringWords}>
            <span className="soft">{sizeWords(rings, ring, t)}</span>
            {ring.members.length > 0 && <span className={`${classes.members} dim`}>{membersOf(ring, t)}</span>}
          </div>
          {rings.build && <span className="dim num">{t("agents.behind", { count: ring.nodes })}</span>}
          {rings.build && (
            <Action
              size="bar"
              icon={IconRocket}
              kind={ring.ring === last ? "filled" : "default"}
              onClick={() => onStart(ring.ring)}
              reason={block ?? closedBy(rings, t)}
            >
              {ring.ring === 1 && last > 1 ? t("agents.startFirst") : t("agents.startThrough", { ring: ring.ring })}
            </Action>
          )}
        </li>
      ))}
    </ol>
  );
}

type Ring = Rings["rings"][number];

function sizeWords(rings: Rings, ring: Ring, t: TFunction<"updates">): string {
  if (rings.rings.length === 1) return t("rings.everybody");
  if (ring.ring === rings.rings.length) return t("agents.sizeRest");
  return ring.unit === "nodes"
    ? t("agents.sizeNodes", { count: ring.size })
    : t("agents.sizeShare", { size: ring.size });
}

/** A few names, and how many there are beside them. */
function membersOf(ring: Ring, t: TFunction<"updates">): string {
  const few = 3;
  const names = ring.members
    .slice(0, few)
    .map((node) => node.name)
    .join(", ");
  return ring.nodes > few ? t("agents.membersMore", { names, count: ring.nodes - few }) : names;
}

function closedBy(rings: Rings, t: (key: string) => string): string | undefined {
  if (rings.active) return t("agents.closedActive");
  return rings.behind === 0 ? t("agents.closedCurrent") : undefined;
}

function FleetState({ rings }: { rings: Rings }) {
  const { t } = useTranslation("updates");
  if (rings.active)
    return <Status kind="applying">{t("agents.state.running", { version: rings.active.version })}</Status>;
  if (!rings.build) return <Status kind="skipped">{t("agents.state.none")}</Status>;
  if (rings.behind > 0) return <Status kind="waiting">{t("agents.state.behind", { count: rings.behind })}</Status>;
  return <Status kind="healthy">{t("agents.state.current")}</Status>;
}

function BuildWords({ build }: { build: NonNullable<Rings["build"]> }) {
  const { t } = useTranslation("updates");
  const format = useFormat();
  return (
    <div className={classes.offer}>
      <div className={classes.offerHead}>
        <span className="strong mono">{build.version}</span>
        {build.breaking && <Status kind="bypassed">{t("panel.breakingShort")}</Status>}
        <span className="dim num">
          {format.date(build.released_at)} · {build.platforms.join(", ")}
        </span>
      </div>
      {build.notes !== "" && <p className={classes.notes}>{build.notes}</p>}
    </div>
  );
}

function VersionsCard({ rings }: { rings: Rings }) {
  const { t } = useTranslation("updates");
  const format = useFormat();
  const total = rings.versions.reduce((sum, one) => sum + one.nodes, 0);
  return (
    <Card title={t("agents.versions")} aside={t("agents.nodes", { count: total })} flush>
      {total === 0 && <p className={classes.nothing}>{t("agents.noAgents")}</p>}
      {total > 0 && (
        <Rows label={t("agents.versions")}>
          {rings.versions.map((one) => (
            <Row key={one.version} className={classes.version}>
              <span className="mono">{one.version === "" ? t("agents.neverReported") : one.version}</span>
              <span className={classes.share} aria-hidden>
                <span
                  style={{ width: `${(100 * one.nodes) / total}%` }}
                  data-current={one.version === rings.build?.version || undefined}
                />
              </span>
              <span className="num">{format.number(one.nodes)}</span>
            </Row>
          ))}
        </Rows>
      )}
    </Card>
  );
}

function RolloutsCard({
  rollouts,
  shown,
  onShow,
}: {
  rollouts: Rollout[];
  shown: string | undefined;
  onShow: (id: string) => void;
}) {
  const { t } = useTranslation("updates");
  const format = useFormat();
  return (
    <Card title={t("agents.earlier")} flush>
      <Rows label={t("agents.earlier")}>
        {rollouts.map((one) => (
          <Row key={one.id} className={classes.run}>
            <Glyph kind={rolloutGlyphs[one.state]} label={t(`rollout.state.${one.state}`)} />
            <button
              type="button"
              className={classes.open}
              aria-pressed={one.id === shown}
              onClick={() => onShow(one.id)}
            >
              {t(`rollout.${one.kind}`, { version: one.version })}
            </button>
            <time dateTime={one.started_at} className="dim num">
              {format.moment(one.started_at)}
            </time>
          </Row>
        ))}
      </Rows>
    </Card>
  );
}
