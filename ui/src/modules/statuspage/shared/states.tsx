import { useTranslation } from "react-i18next";
import type { GlyphKind } from "@/components/status/glyph";
import { Status } from "@/components/status/status";
import type { Component, DeployState, Impact, Maintenance, NoticeState, Target } from "../api";

export type ComponentState = NonNullable<Component["status"]>;

const conditions: Record<Exclude<ComponentState, "">, GlyphKind> = {
  operational: "healthy",
  degraded: "degraded",
  partial_outage: "degraded",
  major_outage: "down",
  maintenance: "maintenance",
  unknown: "no-data",
};

/** How a component does, as readers see it. */
export function ComponentStatus({ state, inTable }: { state: ComponentState | undefined; inTable?: boolean }) {
  const { t } = useTranslation("statuspage");
  const known = state || "unknown";
  return (
    <Status kind={conditions[known]} tone={known === "partial_outage" ? "crit" : undefined} inTable={inTable}>
      {t(`status.${known}`)}
    </Status>
  );
}

const noticeGlyphs: Record<NoticeState, GlyphKind> = {
  investigating: "down",
  identified: "degraded",
  monitoring: "waiting",
  resolved: "healthy",
};

/** How far an incident has come. One that readers do not see yet is a draft. */
export function NoticeStatus({
  state,
  published = true,
  inTable,
}: {
  state: NoticeState;
  published?: boolean;
  inTable?: boolean;
}) {
  const { t } = useTranslation("statuspage");
  return (
    <Status kind={published ? noticeGlyphs[state] : "draft"} inTable={inTable}>
      {published ? t(`notice.${state}`) : t("notice.draft", { state: t(`notice.${state}`) })}
    </Status>
  );
}

/** What an incident means for readers. */
export function ImpactWord({ impact }: { impact: Impact }) {
  const { t } = useTranslation("statuspage");
  return <>{t(`impact.${impact}`)}</>;
}

const workGlyphs: Record<Maintenance["state"], GlyphKind> = {
  planned: "draft",
  active: "maintenance",
  done: "in-sync",
  cancelled: "skipped",
};

/** Whether announced work is still to come. */
export function WorkStatus({ state, inTable }: { state: Maintenance["state"]; inTable?: boolean }) {
  const { t } = useTranslation("statuspage");
  return (
    <Status kind={workGlyphs[state]} inTable={inTable}>
      {t(`work.${state}`)}
    </Status>
  );
}

const targetGlyphs: Record<Target["state"], GlyphKind> = {
  never: "never",
  live: "in-sync",
  failed: "failed",
  outdated: "drifted",
};

/** Whether readers of a place see what is published. */
export function TargetStatus({ target, inTable }: { target: Target; inTable?: boolean }) {
  const { t } = useTranslation("statuspage");
  return (
    <Status kind={target.enabled ? targetGlyphs[target.state] : "skipped"} inTable={inTable}>
      {target.enabled ? t(`target.${target.state}`) : t("target.off")}
    </Status>
  );
}

const deployGlyphs: Record<DeployState, GlyphKind> = {
  queued: "applying",
  building: "applying",
  uploading: "applying",
  verifying: "applying",
  live: "in-sync",
  failed: "failed",
};

/** How far a deploy has come. */
export function DeployStatus({ state, inTable }: { state: DeployState; inTable?: boolean }) {
  const { t } = useTranslation("statuspage");
  return (
    <Status kind={deployGlyphs[state]} inTable={inTable}>
      {t(`deploy.${state}`)}
    </Status>
  );
}
