import { useTranslation } from "react-i18next";
import { Tooltip } from "@mantine/core";
import { Glyph } from "@/components/status/glyph";
import { Status } from "@/components/status/status";
import type { BypassedCheck, Flow } from "./api";
import { usePlaces } from "../editor/editor-context";
import {
  configGlyph,
  configState,
  draftChanges,
  healthGlyph,
  serves,
  waitingClients,
  type ConfigState,
} from "./states";

/** The configuration axis: what is installed against what is wanted. The editor knows how many changes there are. */
export function FlowConfig({ flow, changes, inTable }: { flow: Flow; changes?: number; inTable?: boolean }) {
  const words = useConfigWords();
  const counted = changes ?? draftChanges(flow);
  const state = configState(flow, counted);
  return (
    <Status kind={configGlyph[state]} inTable={inTable}>
      {words(flow, state, counted)}
    </Status>
  );
}

/** The one word for each state, the same on every screen. */
function useConfigWords() {
  const { t } = useTranslation("flows");
  const { servers } = usePlaces();
  return (flow: Flow, state: ConfigState, changes: number | undefined): string => {
    switch (state) {
      case "drifted": {
        const [first = ""] = flow.drift.node_ids;
        const name = servers.get(first)?.name ?? first.slice(-6);
        const count = flow.drift.node_ids.length;
        return count === 0 ? t("config.drifted") : t("config.driftedOn", { name, count });
      }
      case "draft":
        return changes ? t("config.draftChanges", { count: changes }) : t("config.draft");
      case "clients":
        return t("config.clients", { count: waitingClients(flow) });
      case "in_sync":
        return t("config.inSyncWith", { number: flow.installed_version_number });
      default:
        return t(`config.${state}`);
    }
  };
}

/** The health axis: how it runs. */
export function FlowHealth({ flow, inTable }: { flow: Flow; inTable?: boolean }) {
  const { t } = useTranslation("flows");
  if (!serves(flow)) return <span className="dim">{inTable ? "—" : ""}</span>;
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
