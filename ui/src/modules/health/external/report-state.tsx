import { useTranslation } from "react-i18next";
import { Status } from "@/components/status/status";
import type { Report } from "./api";

const known = [
  "balance_low",
  "price_changed",
  "key_refused",
  "no_operators",
  "license_stopped",
  "timeout",
  "unreachable",
  "answer_unusable",
] as const;

/** How a check stands: what was reached, or why nothing is known. */
export function ReportState({ report: { state, passed, total, error_code: code } }: { report: Report }) {
  const { t } = useTranslation("health");
  if (state === "done") {
    const kind = passed === total ? "healthy" : passed === 0 ? "down" : "degraded";
    return <Status kind={kind}>{t("external.passed", { passed, total })}</Status>;
  }
  if (state === "failed") {
    const reason = known.find((one) => one === code) ?? "other";
    return <Status kind="no-data">{t(`external.failed.${reason}`)}</Status>;
  }
  if (state === "cancelled")
    return (
      <Status kind="no-data">
        {t(total > 0 ? "external.cancelledPart" : "external.cancelled", { passed, total })}
      </Status>
    );
  return <Status kind="no-data">{t(`external.${state}`)}</Status>;
}
