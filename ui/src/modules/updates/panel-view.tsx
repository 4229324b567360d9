import { IconDownload, IconInfoCircle, IconRefresh, IconRotate2, IconSettings } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Action, ActionLink } from "@/components/action/action";
import { Card, Facts, Row, Rows } from "@/components/layout/card";
import { Columns } from "@/components/layout/columns";
import { Glyph, Spinner, type GlyphKind } from "@/components/status/glyph";
import { ProblemNote, ProblemView } from "@/components/state/problem-view";
import { RelativeTime } from "@/components/text/relative-time";
import { Skeleton, type ViewState } from "@/components/state/states";
import { Status, Tag } from "@/components/status/status";
import { useFormat, useLanguage } from "@/text/use-format";
import type { Offer, PanelUpdates, Run } from "./api";
import classes from "./updates.module.css";

interface PanelViewProps {
  state: ViewState<PanelUpdates>;
  block: string | undefined;
  check: { run: () => void; busy: boolean; error: unknown };
  onInstall: () => void;
  onReturn: () => void;
}

/** The panel's own release: what runs, what newer there is, what must hold before, the way back, and what was done. */
export function PanelView({ state, block, check, onInstall, onReturn }: PanelViewProps) {
  const { t } = useTranslation("updates");
  if (state.kind === "loading") return <Skeleton height={220} />;
  if (state.kind === "error") return <ProblemView error={state.error} onRetry={state.retry} />;
  const updates = state.data;
  return (
    <Columns side={<History runs={updates.history} />}>
      <Card title={t("panel.title")} right={<PanelState updates={updates} />}>
        {check.error !== null && <ProblemNote error={check.error} />}
        <div className={classes.block}>
          <PanelFacts updates={updates} />
          {!updates.configured && <Hint>{t("panel.notConfigured")}</Hint>}
          {updates.configured && !updates.installer && <Hint>{t("panel.noInstaller")}</Hint>}
          {updates.run && <Progress run={updates.run} />}
          {updates.available && <Offered offer={updates.available} checks={updates.checks} />}
          <div className={classes.acts}>
            {updates.available && (
              <Action icon={IconDownload} kind="filled" onClick={onInstall} reason={block ?? closedBy(updates, t)}>
                {t("panel.installVersion", { version: updates.available.version })}
              </Action>
            )}
            <Action
              icon={IconRefresh}
              onClick={check.run}
              busy={check.busy}
              reason={block ?? (updates.configured ? undefined : t("panel.closedConfigured"))}
            >
              {t("panel.check")}
            </Action>
            <ActionLink to="/settings/{-$section}" params={{ section: "updates" }} icon={IconSettings}>
              {t("settings.open")}
            </ActionLink>
            {updates.rollback.version !== "" && (
              <Action
                icon={IconRotate2}
                onClick={onReturn}
                reason={
                  block ?? (updates.rollback.possible ? undefined : t(`panel.rollback.${updates.rollback.reason}`))
                }
              >
                {t("panel.returnTo", { version: updates.rollback.version })}
              </Action>
            )}
          </div>
        </div>
      </Card>
    </Columns>
  );
}

function closedBy(updates: PanelUpdates, t: (key: string) => string): string | undefined {
  if (updates.run) return t("panel.closedRun");
  return updates.checks.some((check) => !check.ok) ? t("panel.closedChecks") : undefined;
}

function PanelState({ updates }: { updates: PanelUpdates }) {
  const { t } = useTranslation("updates");
  if (updates.run) return <Status kind="applying">{t("panel.state.running")}</Status>;
  if (!updates.configured) return <Status kind="skipped">{t("panel.state.byHand")}</Status>;
  if (updates.check_error !== "")
    return <Status kind="degraded">{t(`panel.checkError.${updates.check_error}`)}</Status>;
  if (!updates.checked_at) return <Status kind="no-data">{t("panel.state.unknown")}</Status>;
  if (updates.available) return <Status kind="waiting">{t("panel.state.available")}</Status>;
  return <Status kind="healthy">{t("panel.state.current")}</Status>;
}

function PanelFacts({ updates }: { updates: PanelUpdates }) {
  const { t } = useTranslation("updates");
  const items = [
    { name: t("panel.version"), value: updates.current, mono: true },
    { name: t("panel.channel"), value: t(`panel.channels.${updates.channel}`) },
    {
      name: t("panel.checked"),
      value: updates.checked_at ? <RelativeTime at={updates.checked_at} /> : t("panel.never"),
    },
  ];
  if (updates.rollback.possible && updates.rollback.until) {
    items.push({
      name: t("panel.kept"),
      value: <KeptUntil version={updates.rollback.version} until={updates.rollback.until} />,
    });
  }
  return <Facts items={items} nameWidth={132} />;
}

function KeptUntil({ version, until }: { version: string; until: string }) {
  const { t } = useTranslation("updates");
  const format = useFormat();
  return <>{t("panel.keptUntil", { version, date: format.moment(until) })}</>;
}

function Offered({ offer, checks }: { offer: Offer; checks: PanelUpdates["checks"] }) {
  const { t } = useTranslation("updates");
  const format = useFormat();
  return (
    <div className={classes.offer}>
      <div className={classes.offerHead}>
        <span className="strong mono">{offer.version}</span>
        {offer.breaking && <Status kind="bypassed">{t("panel.breakingShort")}</Status>}
        <span className="dim num">
          {format.date(offer.released_at)} · {format.bytes(offer.size)}
        </span>
      </div>
      {offer.notes !== "" && <p className={classes.notes}>{offer.notes}</p>}
      {checks.length > 0 && (
        <ul className={classes.checks} aria-label={t("panel.checks")}>
          {checks.map((check) => (
            <li key={check.id}>
              <Glyph kind={check.ok ? "healthy" : "down"} label={t(check.ok ? "panel.holds" : "panel.fails")} />
              <CheckWords check={check} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/**
 * English as the panel says it; in another language what the check is about and, where it does not hold, what to do.
 */
function CheckWords({ check }: { check: PanelUpdates["checks"][number] }) {
  const { t } = useTranslation("updates");
  const english = useLanguage() === "en";
  const action = english ? check.action : t(`panel.check_.${check.id}.fails`);
  return (
    <span>
      {english ? check.finding : t(`panel.check_.${check.id}.about`)}
      {!check.ok && action !== "" && <span className={classes.remedy}>{action}</span>}
    </span>
  );
}

function Progress({ run }: { run: Run }) {
  const { t } = useTranslation("updates");
  return (
    <p className={classes.progress} role="status">
      <Spinner size={14} />
      {t(`run.${run.kind}`, { from: run.from, to: run.to })}: {t(`run.state.${run.state}`)}
    </p>
  );
}

function Hint({ children }: { children: string }) {
  return (
    <p className={classes.hint}>
      <IconInfoCircle size={16} stroke={1.6} aria-hidden />
      <span>{children}</span>
    </p>
  );
}

const runGlyphs: Partial<Record<Run["state"], GlyphKind>> = { done: "healthy", returned: "degraded", failed: "down" };

function History({ runs }: { runs: Run[] }) {
  const { t } = useTranslation("updates");
  const format = useFormat();
  return (
    <Card title={t("panel.journal")} flush>
      {runs.length === 0 && <p className={classes.nothing}>{t("panel.noRuns")}</p>}
      {runs.length > 0 && (
        <Rows label={t("panel.journal")}>
          {runs.map((run) => (
            <Row key={run.id} className={classes.run}>
              <Glyph kind={runGlyphs[run.state] ?? "applying"} label={t(`run.state.${run.state}`)} />
              <span className={classes.runWords}>
                {t(`run.${run.kind}`, { from: run.from, to: run.to })}
                {run.reason !== "" && <span className="soft"> {run.reason}</span>}
              </span>
              <Tag>{run.by}</Tag>
              <time dateTime={run.started_at} className="dim num">
                {format.moment(run.started_at)}
              </time>
            </Row>
          ))}
        </Rows>
      )}
    </Card>
  );
}
