import { useTranslation } from "react-i18next";
import { useFormat } from "@/text/use-format";
import type { Repair } from "../repairs/api";
import { actText } from "../repairs/repair-text";
import type { PolicyCheck, PolicyEntry, Window } from "./api";

type Judged = Pick<
  PolicyEntry,
  "checks" | "vantages" | "quorum" | "failure_threshold" | "success_threshold" | "recheck" | "repair"
>;

/** What agents report with every heartbeat, so that it has no pace of its own. */
export const reported = (type: PolicyCheck["type"]) => type === "heartbeat" || type === "core";

/** What only warns: nothing is down for it. */
const warns = (type: PolicyCheck["type"]) => type === "cert_expiry" || type === "metric";

/** What a check does when its policy does not say. */
export const usual = { interval: 30, timeout: 5, days: 14, above: 90 };

const slow: Partial<Record<PolicyCheck["type"], number>> = { tunnel: 300, cert_expiry: 3_600 };

/** The pace of a check whose policy does not say. */
export const usualInterval = (type: PolicyCheck["type"]): number => slow[type] ?? usual.interval;

/** Checks that take as long as they take. */
export const untimed = (type: PolicyCheck["type"]) => type === "metric" || type === "tunnel";

/** The slowest of the looks that have a pace; undefined where none has. A tunnel counts where nothing else looks. */
function slowest(checks: readonly PolicyCheck[]): PolicyCheck | undefined {
  const looks = checks.filter(({ type }) => !reported(type) && !warns(type));
  const quick = looks.filter(({ type }) => type !== "tunnel");
  const paced = quick.length > 0 ? quick : looks;
  const pace = ({ interval_s: interval, type }: PolicyCheck) => interval ?? usualInterval(type);
  return paced.toSorted((a, b) => pace(b) - pace(a))[0];
}

/** After at most so many seconds a place says down: a whole interval, the first look, and the quick ones behind it. */
export function secondsToDown({ checks, failure_threshold: failures, recheck }: Judged): number | undefined {
  const check = slowest(checks);
  if (!check) return undefined;
  const [interval, timeout] = [check.interval_s ?? usualInterval(check.type), check.timeout_s ?? usual.timeout];
  const quick = Math.min(recheck.count, failures - 1);
  const others = failures - 1 - quick;
  return interval + timeout + quick * (recheck.every_s + timeout) + others * (interval + timeout);
}

/** A promise in minutes is never shorter than it is in seconds. */
const roundedUp = (seconds: number) => (seconds < 60 ? seconds : Math.ceil(seconds / 60) * 60);

/** How far self-repair goes, in sentences. */
function useRepairText() {
  const { t } = useTranslation("health");
  const format = useFormat();
  return ({ mode, actions, limits }: Repair): string[] => {
    if (actions.length === 0) return [t("policy.text.repairNothing")];
    const acts = actions.map((act) => actText(t, act).toLowerCase()).join(", ");
    const said = t(`policy.text.repair.${mode}`, { acts });
    if (mode === "observe") return [said];
    const cooldown = format.span(limits.cooldown_s);
    return [said, t("policy.text.repairLimits", { count: limits.max_actions_per_hour, cooldown })];
  };
}

/** What a policy means, in sentences. */
export function usePolicyText() {
  const { t } = useTranslation("health");
  const format = useFormat();
  const repairText = useRepairText();
  const places = ({ vantages }: Judged): string =>
    [
      vantages.panel && t("policy.text.panel"),
      vantages.agents > 0 &&
        (vantages.tag
          ? t("policy.text.agentsTagged", { count: vantages.agents, tag: vantages.tag })
          : t("policy.text.agents", { count: vantages.agents })),
    ]
      .filter(Boolean)
      .join(t("policy.text.and"));
  return (policy: Judged): string[] => {
    const seconds = secondsToDown(policy);
    return [
      t("policy.text.seen", { places: places(policy) || t("policy.text.nobody") }),
      t("policy.text.down", {
        count: policy.quorum,
        places: t("policy.text.places", { count: policy.quorum }),
        failures: t("policy.text.failures", { count: policy.failure_threshold }),
      }),
      policy.recheck.count > 0
        ? t("policy.text.recheck", { count: policy.recheck.count, every: format.span(policy.recheck.every_s) })
        : t("policy.text.noRecheck"),
      t("policy.text.up", { count: policy.success_threshold }),
      ...(seconds === undefined ? [] : [t("policy.text.within", { span: format.span(roundedUp(seconds)) })]),
      ...repairText(policy.repair),
    ];
  };
}

/** A check with its pace, in few words. */
export function useCheckText(): (check: PolicyCheck) => string {
  const { t } = useTranslation("health");
  const format = useFormat();
  const warned = ({ type, days, metric, above }: PolicyCheck): string | undefined => {
    if (type === "cert_expiry") return t("policy.daysLeft", { count: days ?? usual.days });
    if (metric) return t("policy.metricAbove", { metric: t(`metric.${metric}`), percent: above ?? usual.above });
    return undefined;
  };
  return (check) => {
    const about = check.page ?? check.name ?? warned(check);
    const pace = reported(check.type)
      ? t("policy.withHeartbeat")
      : t("policy.every", { span: format.span(check.interval_s ?? usualInterval(check.type)) });
    return [t(`checkLong.${check.type}`), about, pace].filter(Boolean).join(", ");
  };
}

/** A time of maintenance in words. */
export function useWindowText(): (window: Window) => string {
  const { t } = useTranslation("health");
  const format = useFormat();
  return (window) => {
    const when =
      window.from && window.until
        ? t("policy.once", { from: format.moment(window.from), until: format.moment(window.until) })
        : t("policy.weekly", {
            days: (window.weekdays ?? []).map((day) => t(`weekday.${day}`)).join(", "),
            start: window.start,
            span: format.uptime((window.minutes ?? 0) * 60),
            zone: window.zone || "UTC",
          });
    return window.note ? `${when}: ${window.note}` : when;
  };
}
