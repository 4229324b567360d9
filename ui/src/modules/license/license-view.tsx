import { IconCheck, IconInfoCircle, IconKey, IconLock, IconRefresh } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { LicenseStatus } from "@/api/access";
import { Action } from "@/components/action/action";
import { Card } from "@/components/layout/card";
import { Columns } from "@/components/layout/columns";
import { Glyph } from "@/components/status/glyph";
import { PageHeader } from "@/components/layout/page-header";
import { ProblemNote, ProblemView } from "@/components/state/problem-view";
import { RelativeTime } from "@/components/text/relative-time";
import { EmptyState, Skeleton, type ViewState } from "@/components/state/states";
import { Status } from "@/components/status/status";
import { useNow } from "@/components/text/use-now";
import { useFormat } from "@/text/use-format";
import { useAreas } from "@/components/slots/slots";
import { featuresByArea, type FeatureArea } from "./features";
import { GraceTimeline } from "./grace-timeline";
import { LicenseChecks } from "./license-checks";
import classes from "./license.module.css";
import { WhatNext } from "./what-next";

interface LicenseViewProps {
  state: ViewState<LicenseStatus>;
  block: string | undefined;
  onActivate: () => void;
  onRemove: () => void;
  refresh: { run: () => void; busy: boolean; error: unknown };
}

export function LicenseView(props: LicenseViewProps) {
  const { t } = useTranslation("license");
  const { state, block, onActivate, onRemove, refresh } = props;
  const license = state.kind === "ready" ? state.data : undefined;
  const present = license?.key_masked != null || license?.plan != null;
  return (
    <>
      <PageHeader
        title={t("title")}
        meta={present ? t("lead") : t("leadNone")}
        actions={
          license && (
            <>
              {present && (
                <Action icon={IconRefresh} onClick={refresh.run} busy={refresh.busy} reason={block}>
                  {t("refresh")}
                </Action>
              )}
              <Action
                icon={IconKey}
                kind={license.state === "degraded" ? "filled" : "default"}
                onClick={onActivate}
                reason={block}
              >
                {present ? t("activate.another") : t("activate.verb")}
              </Action>
              {present && (
                <Action kind="danger" onClick={onRemove} reason={block}>
                  {t("remove.open")}
                </Action>
              )}
            </>
          )
        }
      />
      {refresh.error !== null && (
        <div className={classes.problem}>
          <ProblemNote error={refresh.error} />
        </div>
      )}
      {license?.unconfirmed && (
        <p role="status" className={classes.unconfirmed}>
          <Glyph kind="degraded" />
          {t("unconfirmed")}
        </p>
      )}
      {state.kind === "loading" && <Skeleton height={200} />}
      {state.kind === "error" && <ProblemView error={state.error} onRetry={state.retry} />}
      {license && (
        <Columns
          side={
            <>
              <WhatNext license={license} />
              <LicenseChecks license={license} />
              {present && (
                <p className={classes.hint}>
                  <IconInfoCircle size={16} stroke={1.6} aria-hidden />
                  {license.reason === "refused" ? t("hintRefused") : t("hint")}
                </p>
              )}
            </>
          }
        >
          {present ? <StateCard license={license} /> : <NoLicense />}
          {present && <FeaturesCard license={license} />}
        </Columns>
      )}
    </>
  );
}

function NoLicense() {
  const { t } = useTranslation("license");
  return (
    <Card>
      <EmptyState icon={IconKey} title={t("none.title")}>
        {t("none.text")}
      </EmptyState>
    </Card>
  );
}

const looks = { active: "healthy", grace: "waiting", degraded: "degraded" } as const;

function StateCard({ license }: { license: LicenseStatus }) {
  const { t } = useTranslation("license");
  const format = useFormat();
  const now = useNow();
  const inGrace = license.state === "grace" && license.grace_until !== null;
  const days = license.valid_until ? Math.ceil((Date.parse(license.valid_until) - now) / 86_400_000) : undefined;
  return (
    <section className={classes.state} aria-label={t("stateLabel")}>
      <div className={classes.top}>
        <h2 className={classes.plan}>{license.plan ?? t("noPlan")}</h2>
        <Status kind={looks[license.state]} quiet={license.state === "active"}>
          {t(`state.${license.state}`)}
        </Status>
        {license.state === "degraded" && <span className="soft">{t(`reason.${license.reason}`)}</span>}
        {inGrace && (
          <span className={classes.days}>
            {t("grace.left", { span: format.uptime((Date.parse(license.grace_until!) - now) / 1000) })}
          </span>
        )}
        {license.state === "active" && days !== undefined && (
          <span className={classes.days}>{t("daysLeft", { count: Math.max(0, days) })}</span>
        )}
      </div>
      {inGrace && license.grace_since && <GraceTimeline license={license} />}
      <dl className={classes.facts}>
        <div>
          <dt>{t("key")}</dt>
          <dd className="mono">{license.key_masked ?? "—"}</dd>
        </div>
        <div>
          <dt>{t("validUntil")}</dt>
          <dd>{license.valid_until ? format.date(license.valid_until) : t("forever")}</dd>
        </div>
        <div>
          <dt>{t("lastCheck")}</dt>
          <dd>
            {license.last_check?.at ? (
              <>
                <RelativeTime at={license.last_check.at} />
                {!license.last_check.ok && `, ${t("failed")}`}
              </>
            ) : (
              t("never")
            )}
          </dd>
        </div>
        <div>
          <dt>{t("nextCheck")}</dt>
          <dd>{license.next_check_at ? <RelativeTime at={license.next_check_at} /> : "—"}</dd>
        </div>
      </dl>
      {license.last_check?.error && <p className={classes.checkError}>{license.last_check.error}</p>}
    </section>
  );
}

function FeaturesCard({ license }: { license: LicenseStatus }) {
  const { t } = useTranslation("license");
  const { t: words } = useTranslation("words");
  const groups = featuresByArea(license.features, useAreas("features"));
  const { enabled, blocked } = license.features;
  return (
    <Card
      title={t("features.title")}
      aside={
        blocked.length > 0
          ? t("features.count", { enabled: enabled.length, blocked: blocked.length })
          : t("features.all", { count: enabled.length })
      }
      flush
    >
      <div className={classes.features}>
        {(Object.keys(groups) as FeatureArea[])
          .filter((area) => groups[area].length > 0)
          .map((area) => (
            <div key={area}>
              <h3 className="caps">{t(`features.${area}`)}</h3>
              <ul>
                {groups[area].map(({ key, open }) => (
                  <li key={key} className={open ? undefined : classes.locked}>
                    {open ? (
                      <IconCheck size={15} stroke={2} className={classes.tick} aria-hidden />
                    ) : (
                      <IconLock size={15} stroke={1.6} aria-hidden />
                    )}
                    {words(`feature.${key}`, { defaultValue: key })}
                    <span className="visually-hidden">{open ? t("features.open") : t("features.closed")}</span>
                  </li>
                ))}
              </ul>
            </div>
          ))}
      </div>
    </Card>
  );
}
