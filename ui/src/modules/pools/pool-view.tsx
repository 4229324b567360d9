import { Menu } from "@mantine/core";
import { IconPencil, IconTrash } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { RowMenu } from "@/components/action/row-menu";
import { Card, Facts, Row, Rows } from "@/components/layout/card";
import { Columns } from "@/components/layout/columns";
import { Meta, PageHeader } from "@/components/layout/page-header";
import { Glyph } from "@/components/status/glyph";
import { Tag } from "@/components/status/status";
import { RelativeTime } from "@/components/text/relative-time";
import { useFormat } from "@/text/use-format";
import type { Member, Pool, Status, Switch } from "./api";
import { MemberState, PoolState } from "./pool-state";
import classes from "./pools.module.css";

interface PoolViewProps {
  pool: Pool;
  /** Undefined while it is being asked for. */
  status: Status | undefined;
  /** Why nothing may be changed, and why nothing that acts on running traffic may be done. */
  block: { edit: string | undefined; apply: string | undefined };
  onEdit: () => void;
  onRemove: () => void;
  onAct: (act: "override" | "drain", member: Member) => void;
}

/** One pool: its members and how they are, who carries the traffic now and since when, and who uses it. */
export function PoolView({ pool, status, block, onEdit, onRemove, onAct }: PoolViewProps) {
  const { t } = useTranslation("pools");
  return (
    <>
      <PageHeader
        title={pool.name}
        beside={<PoolState state={pool.state} />}
        meta={
          <>
            <Meta>{t(`strategy.${pool.strategy}`)}</Meta>
            <Meta>
              <LastSwitch pool={pool} />
            </Meta>
          </>
        }
        closed={block.edit}
        actions={
          <>
            <Action icon={IconPencil} reason={block.edit} onClick={onEdit}>
              {t("edit")}
            </Action>
            <Action iconOnly icon={IconTrash} reason={block.edit} onClick={onRemove}>
              {t("remove.act")}
            </Action>
          </>
        }
      />
      <Columns
        side={
          <>
            <UsersCard pool={pool} />
            <FactsCard pool={pool} />
          </>
        }
      >
        <MembersCard pool={pool} block={block.apply} onAct={onAct} />
        <SwitchesCard pool={pool} status={status} />
      </Columns>
    </>
  );
}

function LastSwitch({ pool }: { pool: Pool }) {
  const { t } = useTranslation("pools");
  const last = pool.last_switch;
  if (!last) return t("page.noSwitch");
  return (
    <>
      {t("page.lastSwitch", { why: t(`reason.${last.reason as "member_down"}`) })} <RelativeTime at={last.at} />
    </>
  );
}

interface MembersCardProps {
  pool: Pool;
  block: string | undefined;
  onAct: PoolViewProps["onAct"];
}

function MembersCard({ pool, block, onAct }: MembersCardProps) {
  const { t } = useTranslation("pools");
  return (
    <Card title={t("columns.members")} aside={<span className="num">{pool.members.length}</span>} flush>
      {pool.members.length === 0 ? (
        <p className={classes.quiet}>{t("page.noMembers")}</p>
      ) : (
        <Rows label={t("columns.members")}>
          {pool.members.map((member) => (
            <Row key={member.id} className={classes.row}>
              <span className={classes.name}>
                <Link to={member.flow_id ? `/flows/${member.flow_id}` : `/nodes/${member.node_id}`}>
                  {member.name || member.flow_id || member.node_id}
                </Link>{" "}
                <MemberTags pool={pool} member={member} />
                <Why pool={pool} member={member} />
                <SeenElsewhere member={member} />
              </span>
              <MemberState member={member} />
              <span className="num soft">{member.rtt_ms > 0 ? t("ms", { count: member.rtt_ms }) : ""}</span>
              <span className="num soft">{t("weight", { count: member.weight })}</span>
              <RowMenu name={member.name}>
                <Menu.Item disabled={block !== undefined} onClick={() => onAct("override", member)}>
                  {t(pool.override?.member_id === member.id ? "act.override_end.item" : "act.override.item")}
                </Menu.Item>
                <Menu.Item disabled={block !== undefined} onClick={() => onAct("drain", member)}>
                  {t(member.drain ? "act.drain_end.item" : "act.drain.item")}
                </Menu.Item>
              </RowMenu>
            </Row>
          ))}
        </Rows>
      )}
    </Card>
  );
}

function MemberTags({ pool, member }: { pool: Pool; member: Member }) {
  const { t } = useTranslation("pools");
  return (
    <span className={classes.tags}>
      {member.flow_id && <Tag>{t("kind.flow")}</Tag>}
      {member.priority > 0 && <Tag>{t("priority", { count: member.priority })}</Tag>}
      {!member.enabled && <Tag>{t("tag.disabled")}</Tag>}
      {member.drain && <Tag>{t("tag.drain")}</Tag>}
      {member.withdrawn && <Tag>{t("tag.withdrawn")}</Tag>}
      {member.resting && <Tag>{t("tag.resting")}</Tag>}
      {member.held && <Tag>{t("tag.held")}</Tag>}
      {pool.override?.member_id === member.id && <Tag>{t("tag.chosen")}</Tag>}
    </span>
  );
}

const whys = ["slow", "refused", "timeout", "failed"] as const;

/** Why the agents that forward to it see it otherwise than healthy. */
function Why({ pool, member }: { pool: Pool; member: Member }) {
  const { t } = useTranslation("pools");
  const why = whys.find((one) => one === member.reason);
  if (!why || (member.state !== "down" && member.state !== "degraded")) return null;
  const page = pool.health.probe_url ?? "";
  const host = URL.parse(page)?.host ?? page;
  return <span className={classes.health}>{t(`why.${why}`, { host })}</span>;
}

/** What health checks add to what agents have found, where they see it otherwise. */
function SeenElsewhere({ member: { health } }: { member: Member }) {
  const { t } = useTranslation("pools");
  if (health?.state !== "down" && health?.state !== "degraded") return null;
  return (
    <span className={classes.health}>
      <Glyph kind={health.state} /> {t(`health.seen.${health.state}`)} <RelativeTime at={health.since} />
    </span>
  );
}

function SwitchesCard({ pool, status }: { pool: Pool; status: Status | undefined }) {
  const { t } = useTranslation("pools");
  const switches = status?.switches ?? [];
  return (
    <Card title={t("page.switches")} flush>
      {switches.length === 0 ? (
        <p className={classes.quiet}>{t("page.noSwitch")}</p>
      ) : (
        <Rows label={t("page.switches")}>
          {switches.map((one) => (
            <Row key={`${one.at} ${one.node_id} ${one.flow_id} ${one.reason}`} className={classes.switch}>
              <span>{t(`reason.${one.reason as "member_down"}`)}</span>
              <span className="dim">
                <RelativeTime at={one.at} />
              </span>
              <span className="soft">
                <Carries pool={pool} one={one} />
              </span>
            </Row>
          ))}
        </Rows>
      )}
    </Card>
  );
}

/** Who carries the traffic on a node from a switch on. */
function Carries({ pool, one }: { pool: Pool; one: Switch }) {
  const { t } = useTranslation("pools");
  const active = pool.members.find((member) => member.id === one.active_member_id);
  if (one.serves === "fallback")
    return t("serves.fallback", { node: one.node_name, what: t(`fallback.${pool.fallback.kind}`) });
  if (active) return t("serves.one", { node: one.node_name, member: active.name });
  return t("serves.members", { node: one.node_name, count: one.usable });
}

function UsersCard({ pool }: { pool: Pool }) {
  const { t } = useTranslation("pools");
  return (
    <Card title={t("page.users")} aside={<span className="num">{pool.used_by_flows.length}</span>} flush>
      {pool.used_by_flows.length === 0 ? (
        <p className={classes.quiet}>{t("page.noUsers")}</p>
      ) : (
        <Rows label={t("page.users")}>
          {pool.used_by_flows.map((use) => (
            <Row key={use.flow_id} className={classes.switch}>
              <Link to={`/flows/${use.flow_id}`} className={classes.name}>
                {use.name}
              </Link>
              <span className="soft">{t(use.installed ? "page.installed" : "page.draft")}</span>
            </Row>
          ))}
        </Rows>
      )}
    </Card>
  );
}

function FactsCard({ pool }: { pool: Pool }) {
  const { t } = useTranslation("pools");
  const format = useFormat();
  const { health, fallback, override } = pool;
  const chosen = pool.members.find((member) => member.id === override?.member_id);
  return (
    <Card title={t("page.facts")}>
      <Facts
        nameWidth={152}
        items={[
          { name: t("columns.fallback"), value: t(`fallback.${fallback.kind}`) },
          ...(override && chosen
            ? [
                {
                  name: t("page.chosen"),
                  value: t("page.chosenUntil", { name: chosen.name, when: format.moment(override.until) }),
                },
              ]
            : []),
          { name: t("page.minHealthy"), value: pool.min_healthy },
          { name: t("form.probeUrl"), value: health.probe_url ?? "", mono: true },
          { name: t("health.interval"), value: health.interval_s ?? 10 },
          { name: t("health.timeout"), value: health.timeout_s ?? 3 },
          { name: t("page.thresholds"), value: `${health.failure_threshold ?? 2} / ${health.success_threshold ?? 2}` },
        ]}
      />
    </Card>
  );
}
