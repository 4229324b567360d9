import { useTranslation } from "react-i18next";
import type { LicenseStatus } from "@/api/access";
import { Card } from "@/components/layout/card";
import { useNow } from "@/components/text/use-now";
import { useFormat } from "@/text/use-format";
import classes from "./license.module.css";

/** What happens and when, so that nobody is surprised. */
export function WhatNext({ license }: { license: LicenseStatus }) {
  const { t } = useTranslation("license");
  return (
    <Card title={t("next.title")} flush>
      <dl className={classes.next}>
        {useSteps(license).map((step) => (
          <div key={step.text}>
            <dt>{step.when}</dt>
            <dd>{step.text}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}

function useSteps(license: LicenseStatus): { when: string; text: string }[] {
  const { t } = useTranslation("license");
  const format = useFormat();
  const now = t("next.now");
  const moment = useNow();
  if (license.state === "grace" && license.grace_until) {
    const late = Date.parse(license.grace_until) - 24 * 3_600_000;
    return [
      { when: now, text: t(late > moment ? "next.graceNow" : "next.graceLateNow") },
      ...(late > moment ? [{ when: format.moment(new Date(late).toISOString()), text: t("next.graceLate") }] : []),
      { when: format.moment(license.grace_until), text: t("next.readOnly") },
    ];
  }
  if (license.state === "degraded") {
    return [
      { when: now, text: t("next.degraded") },
      { when: t("next.afterKey"), text: t("next.activated") },
    ];
  }
  const checked = license.next_check_at ? [{ when: format.moment(license.next_check_at), text: t("next.check") }] : [];
  const expiry = license.valid_until ? [{ when: format.date(license.valid_until), text: t("next.expires") }] : [];
  return [{ when: now, text: t("next.active") }, ...checked, ...expiry];
}
