import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { StaleTag } from "@/components/state/states";
import { RelativeTime } from "@/components/text/relative-time";
import { useAfter } from "@/components/text/use-now";

type Judged = { reason: string; hint: string };

/** Why something is as it is; a reason that this interface does not know yet, as the panel says it. */
export function reasonText(t: TFunction<"health">, { reason }: Pick<Judged, "reason">): string {
  return reason ? t(`reason.${reason as "unreachable"}`, { defaultValue: reason }) : "";
}

/** What a reason says already of the cause. */
const implied: Record<string, string> = {
  agent_lost: "agent",
  core_stopped: "core_failed",
  certificate_expired: "cert",
  certificate_name: "cert",
  name_unresolved: "dns",
  node_down: "node",
};

/** What the cause may be, where the evidence tells. A hint that only repeats the reason is left out. */
export function hintText(t: TFunction<"health">, { reason, hint }: Judged): string {
  if (!hint || hint === reason || hint === implied[reason]) return "";
  return t(`hint.${hint as "route"}`, { defaultValue: hint });
}

/** Evidence older than this many milliseconds is said to be old on its row as well. */
const old = 120_000;

/** When something was last looked at. */
export function Looked({ at }: { at: string | null }) {
  const { t } = useTranslation("health");
  const aged = useAfter(at ? Date.parse(at) + old : undefined);
  if (!at) return <span className="dim">{t("neverLooked")}</span>;
  if (aged) return <StaleTag since={at} />;
  return (
    <span className="dim">
      {t("looked")} <RelativeTime at={at} />
    </span>
  );
}
