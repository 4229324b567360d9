import { useTranslation } from "react-i18next";
import type { LicenseStatus } from "@/api/access";
import { useNow } from "@/components/text/use-now";
import { useFormat } from "@/text/use-format";
import { graceBar } from "./grace";
import classes from "./license.module.css";

/** The grace period as one bar from the first failure of the license server to read-only. */
export function GraceTimeline({ license }: { license: LicenseStatus }) {
  const { t } = useTranslation("license");
  const format = useFormat();
  const bar = graceBar(license.grace_since!, license.grace_until!, useNow());
  const iso = (moment: number) => new Date(moment).toISOString();
  return (
    <div className={classes.timeline}>
      <div
        className={classes.bar}
        role="img"
        aria-label={t("grace.bar", { used: bar.usedHours, total: bar.totalHours })}
      >
        <span data-part="used" style={{ flexGrow: bar.used }} />
        <span data-part="calm" style={{ flexGrow: bar.calm }} />
        <span data-part="late" style={{ flexGrow: bar.late }} />
      </div>
      <div className={classes.marks}>
        <span>
          {t("grace.since")}
          <b>{format.moment(iso(bar.start))}</b>
        </span>
        <span className={classes.now}>
          {t("grace.used", { count: bar.usedHours })}
          <b>{t("grace.of", { total: bar.totalHours })}</b>
        </span>
        {bar.calm > 0 && (
          <span>
            {t("grace.late")}
            <b>{format.moment(iso(bar.warnFrom))}</b>
          </span>
        )}
        <span>
          {t("grace.end")}
          <b>{format.moment(iso(bar.end))}</b>
        </span>
      </div>
    </div>
  );
}
