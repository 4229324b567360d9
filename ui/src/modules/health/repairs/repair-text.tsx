import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import type { GlyphKind } from "@/components/status/glyph";
import { Status } from "@/components/status/status";
import type { Act, RepairAction, RepairAct } from "./api";

type Words = TFunction<"health">;

/** What can be done, the mildest first. */
export const ladder: readonly RepairAct[] = [
  "restart_core",
  "reapply_installed",
  "withdraw_from_pool",
  "switch_dns",
  "hide_proxypanel_hosts",
];

export const actText = (t: Words, act: RepairAct) => t(`repair.act.${act}`);

/** What came of an action, in a sentence; empty while its state says it all. */
export function resultText(t: Words, { state, reason, error, outcome, undone_by: by }: RepairAction): string {
  if (state === "skipped") return reason ? t(`repair.reason.${reason}`) : "";
  if (state === "failed") return error;
  if (state === "undone" && by) return t("repair.undoneBy", { who: by });
  if (state === "undone") return outcome === "not_helped" ? t("repair.undoneInVain") : t("repair.undoneAlone");
  if (state === "succeeded") return t(`repair.outcome.${outcome || "unknown"}`);
  return "";
}

/** What a person brings about by an act. */
export function consequenceText(t: Words, act: Act, { action, node_name: node }: RepairAction): string {
  if (act === "approve") return t(`repair.effect.${action}`);
  if (act === "undo" && action === "switch_dns") return t("repair.undo.names");
  return t(`repair.${act}.text`, { act: actText(t, action), node });
}

/** Who wanted it: the panel, or the person who approved or dismissed it. */
export function whoText(t: Words, action: RepairAction): string {
  if (action.dismissed_by) return t("repair.dismissedBy", { who: action.dismissed_by });
  if (action.approved_by) return t("repair.approvedBy", { who: action.approved_by });
  return action.started_at ? t("repair.byItself") : "";
}

const glyphs: Record<RepairAction["state"], GlyphKind> = {
  proposed: "degraded",
  approved: "no-data",
  running: "no-data",
  succeeded: "healthy",
  failed: "down",
  skipped: "skipped",
  undone: "skipped",
};

/** The shape of an action. One that was done and did not help is no good news. */
export function repairGlyph({ state, outcome }: Pick<RepairAction, "state" | "outcome">): GlyphKind {
  return state === "succeeded" && outcome === "not_helped" ? "degraded" : glyphs[state];
}

/** The state of an action as shape and word. */
export function RepairState({ action }: { action: RepairAction }) {
  const { t } = useTranslation("health");
  return <Status kind={repairGlyph(action)}>{t(`repair.state.${action.state}`)}</Status>;
}
