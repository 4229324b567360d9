import { useTranslation } from "react-i18next";
import { Tooltip } from "@mantine/core";
import { Glyph } from "@/components/status/glyph";
import { Status } from "@/components/status/status";
import type { BypassedCheck, Flow, Plan } from "./api";
import { usePlaces } from "../editor/editor-context";
import { changesOf, countChanges } from "../plan/plan-changes";
import type { Saving } from "../editor/draft/saving";
import { configGlyph, configState, healthGlyph } from "./states";

/** The configuration axis: what is installed against what is wanted. */
export function FlowConfig({
  flow,
  preview,
  saving,
  inTable,
}: {
  flow: Flow;
  preview?: Plan;
  saving?: Saving;
  inTable?: boolean;
}) {
  const { t } = useTranslation("flows");
  const { servers } = usePlaces();
  const unsaved = saving !== undefined && saving.kind !== "saved" && saving.kind !== "loading";
  const state = configState(flow, preview?.is_noop && !unsaved);
  const where = flow.drift.node_ids.map((id) => servers.get(id)?.name ?? id.slice(-6));
  const count = preview ? countChanges(changesOf(preview)).total : 0;
  const words = {
    applying: t("config.applying"),
    apply_failed: t("config.apply_failed"),
    never: t("config.never"),
    disabled: t("config.disabled"),
    drifted: where.length === 0 ? t("config.drifted") : t("config.driftedOn", { name: where[0], count: where.length }),
    draft: count > 0 ? t("config.draftChanges", { count }) : t("config.draft"),
    in_sync:
      flow.installed_version_number !== null && !inTable
        ? t("config.inSyncWith", { number: flow.installed_version_number })
        : t("config.in_sync"),
  }[state];
  return (
    <Status kind={configGlyph[state]} inTable={inTable}>
      {words}
    </Status>
  );
}

/** The health axis: how it runs. */
export function FlowHealth({ flow, inTable }: { flow: Flow; inTable?: boolean }) {
  const { t } = useTranslation("flows");
  return (
    <Status kind={healthGlyph[flow.health_state]} inTable={inTable}>
      {t(`health.${flow.health_state}`)}
    </Status>
  );
}

/** The shield on a version that was applied without some checks. */
export function BypassMark({ checks, words = false }: { checks: readonly BypassedCheck[]; words?: boolean }) {
  const { t } = useTranslation("flows");
  if (checks.length === 0) return null;
  const label = t("bypass.count", { count: checks.length });
  if (words)
    return (
      <Status kind="bypassed" quiet tone="warn">
        <span style={{ color: "var(--warn)" }}>{label}</span>
      </Status>
    );
  return (
    <Tooltip label={label}>
      <span style={{ display: "inline-flex", alignItems: "center", gap: 5, color: "var(--warn)" }} className="num">
        <Glyph kind="bypassed" size={14} label={label} />
        <span aria-hidden>{checks.length}</span>
      </span>
    </Tooltip>
  );
}
