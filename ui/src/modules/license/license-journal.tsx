import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useAccess } from "@/api/access";
import { Card, Row, Rows } from "@/components/card";
import { Glyph } from "@/components/glyph";
import { useFormat } from "@/text/use-format";
import { licenseEntriesQuery } from "./api";
import classes from "./license.module.css";

const glyphs = { ok: "healthy", denied: "degraded", failed: "down" } as const;
const outcomes = { ok: "ok", denied: "denied", failed: "notDone" } as const;

/** The last five entries about the license, for whoever may read the journal. */
export function LicenseJournal() {
  const { t } = useTranslation("license");
  const format = useFormat();
  const { can } = useAccess();
  const entries = useQuery({ ...licenseEntriesQuery, enabled: can("audit.view") }).data;
  if (!entries || entries.length === 0) return null;
  const all = (
    <Link to="/audit" search={{ action: "license.*" }}>
      {t("journal.all")}
    </Link>
  );
  return (
    <Card title={t("journal.title")} right={all} flush>
      <Rows label={t("journal.title")}>
        {entries.map((entry) => (
          <Row key={entry.id} className={classes.entry}>
            <Glyph kind={glyphs[entry.result]} label={t(`journal.${outcomes[entry.result]}`)} />
            <Link to="/audit" search={{ action: "license.*", entry: entry.id }}>
              {t(`journal.${entry.action}`, { defaultValue: entry.action })}
            </Link>
            <span className="dim">{entry.actor.name}</span>
            <time dateTime={entry.at} className="dim num">
              {format.moment(entry.at)}
            </time>
          </Row>
        ))}
      </Rows>
    </Card>
  );
}
