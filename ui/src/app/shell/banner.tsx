import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { IconClock, IconHandStop, IconLock, IconPlugConnectedX, IconRefresh } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { licenseQuery, useAccess, useWriteBlock, type LicenseStatus } from "@/api/access";
import { answer, api } from "@/api/client";
import { useSession } from "@/api/session";
import { live } from "@/api/stream";
import { Action, ActionLink } from "@/components/action/action";
import { toastProblem } from "@/components/state/toast";
import { useNow } from "@/components/text/use-now";
import { stateQuery, type AutomationState } from "@/modules/automation/api";
import { useFormat } from "@/text/use-format";
import classes from "./banner.module.css";

/** The one banner: read-only before a stopped automation, grace and a lost connection, never two. */
export function Banner() {
  const license = useQuery(licenseQuery).data;
  const signedIn = useSession().token !== undefined;
  const stop = useQuery({ ...stateQuery, enabled: signedIn }).data;
  const lost = useStore(live, (state) => state.failures >= 2);
  if (license?.state === "degraded") return <ReadOnlyBanner license={license} />;
  if (stop?.stopped) return <StoppedBanner stop={stop} />;
  if (license?.state === "grace" && license.grace_until)
    return <GraceBanner until={license.grace_until} license={license} />;
  // A session that ended is not a line that is cut: its dialog stands over the page.
  if (lost && signedIn) return <OfflineBanner />;
  return null;
}

function ReadOnlyBanner({ license }: { license: LicenseStatus }) {
  const { t } = useTranslation("app");
  const format = useFormat();
  const reason =
    license.reason === "expired" && license.valid_until
      ? t("banner.expiredOn", { date: format.date(license.valid_until) })
      : t([`banner.reason.${license.reason}`, "banner.reason.none"]);
  return (
    <div className={classes.banner} data-tone="warn" role="status">
      <IconLock size={16} stroke={1.6} aria-hidden />
      <p>
        <b>{t("banner.readOnly", { reason })}</b> {t("banner.readOnlyText")}
      </p>
      <ActionLink to="/license" kind="filled" size="bar">
        {t("banner.activate")}
      </ActionLink>
    </div>
  );
}

function StoppedBanner({ stop }: { stop: AutomationState }) {
  const { t } = useTranslation("app");
  const format = useFormat();
  const { can } = useAccess();
  return (
    <div className={classes.banner} data-tone="warn" role="status">
      <IconHandStop size={16} stroke={1.6} aria-hidden />
      <p>
        <b>{t("banner.stopped")}</b>{" "}
        {t("banner.stoppedText", { moment: format.fullMoment(stop.at ?? ""), by: stop.by, reason: stop.reason })}
      </p>
      {can("settings.manage") && (
        <ActionLink to="/settings/{-$section}" params={{ section: "automation" }} size="bar">
          {t("banner.stoppedOpen")}
        </ActionLink>
      )}
    </div>
  );
}

function GraceBanner({ until, license }: { until: string; license: LicenseStatus }) {
  const { t } = useTranslation("app");
  const format = useFormat();
  const queries = useQueryClient();
  const hours = Math.max(0, Math.floor((Date.parse(until) - useNow()) / 3_600_000));
  const refresh = useMutation({
    mutationFn: () => answer(api.POST("/api/v1/license/refresh", {})),
    onSettled: () => queries.invalidateQueries({ queryKey: ["license"] }),
    onError: (error) => toastProblem(t("banner.refreshFailed"), error),
  });
  const block = useWriteBlock({ needs: "license.manage", whileReadOnly: true });
  return (
    <div className={classes.banner} data-tone={hours < 24 ? "warn" : "info"} role="status">
      <IconClock size={16} stroke={1.6} aria-hidden />
      <p>
        <b>{t("banner.grace", { count: hours })}</b>{" "}
        {license.last_check?.at
          ? t("banner.graceSince", { moment: format.moment(license.last_check.at) })
          : t("banner.graceText")}
      </p>
      <Action size="bar" icon={IconRefresh} busy={refresh.isPending} onClick={() => refresh.mutate()} reason={block}>
        {t("banner.refresh")}
      </Action>
    </div>
  );
}

function OfflineBanner() {
  const { t } = useTranslation("app");
  return (
    <div className={classes.banner} data-tone="unk" role="status">
      <IconPlugConnectedX size={16} stroke={1.6} aria-hidden />
      <p>
        <b>{t("banner.offline")}</b> {t("banner.offlineText")}
      </p>
    </div>
  );
}
