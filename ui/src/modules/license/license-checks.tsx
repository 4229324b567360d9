import { useTranslation } from "react-i18next";
import type { LicenseStatus } from "@/api/access";
import { Card, Row, Rows } from "@/components/layout/card";
import { Glyph } from "@/components/status/glyph";
import { useFormat } from "@/text/use-format";
import classes from "./license.module.css";

type Check = NonNullable<LicenseStatus["checks"]>[number];

/** The outcomes that have words in each language; any other is shown as the panel told it. */
const outcomes: Record<string, string> = {
  active: "active",
  refused: "refused",
  timeout: "timeout",
  "connection refused": "closed",
  "no connection": "none",
  "the connection broke off": "broken",
  "the name is not found": "unknown",
  "TLS failed": "tls",
};

/** The latest questions to license servers; a server that was passed over has its own line. */
export function LicenseChecks({ license }: { license: LicenseStatus }) {
  const { t } = useTranslation("license");
  const checks = license.checks ?? [];
  if (checks.length === 0) return null;
  return (
    <Card title={t("checks.title")} aside={t("checks.latest", { count: checks.length })} flush>
      <Rows label={t("checks.title")}>
        {checks.map((check, index) => (
          <Row key={`${check.at} ${check.server} ${index}`} className={classes.check}>
            <CheckLine check={check} />
          </Row>
        ))}
      </Rows>
    </Card>
  );
}

function CheckLine({ check }: { check: Check }) {
  const { t } = useTranslation("license");
  const format = useFormat();
  const known = outcomes[check.outcome];
  const refused = check.ok && check.outcome === "refused";
  return (
    <>
      <Glyph
        kind={refused ? "degraded" : check.ok ? "healthy" : "down"}
        label={t(refused ? "checks.refusal" : check.ok ? "checks.answered" : "checks.failed")}
      />
      <div className={classes.checkWords}>
        <span className="mono">{check.server}</span>
        <span className="dim">{known ? t(`checks.outcome.${known}`) : check.outcome}</span>
      </div>
      <div className={classes.checkTime}>
        <time dateTime={check.at} className="num">
          {format.moment(check.at)}
        </time>
        <span className="dim num">{t("checks.took", { ms: format.number(check.took_ms) })}</span>
      </div>
    </>
  );
}
